/** The module that the command `serve` loads once its options are read. */
export { readConfig } from './config.ts'
export { serve } from './serve.ts'
