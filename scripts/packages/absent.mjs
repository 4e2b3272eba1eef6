/** Stands for the packages that build things, in packages that bring what was built. */
export const build = undefined
export const unstable_getMiniflareWorkerOptions = undefined
export const unstable_readConfig = undefined
export const unstable_splitSqlQuery = undefined
