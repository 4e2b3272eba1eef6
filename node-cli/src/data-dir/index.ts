/** The functions that a run with a data directory needs; other runs do not load them. */
export { withDataDir } from './lock.ts'
export { createNodeKey } from './node-key.ts'
export { openStore } from './store.ts'
