const windowMs = 60_000

/**
 * Frames that a socket may send in a minute: each wakes the object and costs a write. Frames that the hub asked for, or that take an
 * offer further, are not counted: the hub decides how many there are.
 */
export const framesPerMinute = 300

/** Counts frames in memory: an object that was dropped had nothing to do, and starts again. */
export class FrameBudget {
  #endsAtMs = 0
  #left = 0

  take(): boolean {
    const nowMs = Date.now()
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + windowMs
      this.#left = framesPerMinute
    }
    this.#left -= 1
    return this.#left >= 0
  }

  /** The last frame was one that the hub asked for. */
  giveBack(): void {
    this.#left += 1
  }
}
