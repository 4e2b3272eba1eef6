/** Network time: what everything that is signed or judged is dated in. */
export interface Clock {
  /** Unix seconds. */
  readonly now: () => number
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) }

/** The clock of the machine, and how far another one is ahead of it. */
export class AdjustableClock implements Clock {
  #offsetSeconds = 0

  /** Negative when the other one is behind. */
  get offsetSeconds(): number {
    return this.#offsetSeconds
  }

  adjust(offsetSeconds: number): void {
    this.#offsetSeconds = offsetSeconds
  }

  now = (): number => systemClock.now() + this.#offsetSeconds
}
