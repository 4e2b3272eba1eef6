/** Largest input of a run, in bytes. */
export const inputBytesMax = 1_048_576

/** Largest output of a run, in bytes. */
export const outputBytesMax = 1_048_576

/** Highest gas limit of a run. */
export const gasLimitMax = 10_000_000_000
