/** Network time: what everything that is signed or judged is dated in. */
export interface Clock {
  /** Unix seconds. */
  readonly now: () => number
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) }
