/** Input, receipt, errors and state root of a run (section 16). */
export * from './execution.ts'
export * from './run-error.ts'
export * from './state-root.ts'
export * from './task-input.ts'
