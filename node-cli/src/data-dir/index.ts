/** What a run needs of a data directory, loaded for those that have one. */
export { withDataDir } from './lock.ts'
export { createNodeKey } from './node-key.ts'
export { openStore } from './store.ts'
