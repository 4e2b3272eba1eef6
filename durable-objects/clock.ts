/** The time in Unix seconds, by the clock of the machine. */
export const unixNow = (): number => Math.floor(Date.now() / 1000)
