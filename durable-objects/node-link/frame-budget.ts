const windowMs = 60_000

/** Frames that a socket may send in a minute by itself; each wakes the object and costs a write. */
export const framesPerMinute = 300

/** Frames that an offer calls for: that it is taken, and the vote; each once more after a break of the connection. */
const framesPerOffer = 4

/** Counts frames in memory: an object that was dropped had nothing to do, and begins anew. */
export class FrameBudget {
  #endsAtMs = 0
  #left = 0

  /** Whether there is room for one more. */
  take(): boolean {
    this.#renew()
    this.#left -= 1
    return this.#left >= 0
  }

  /** Makes room for the answers to an offer: however many a node is sent, it may answer them all. */
  grantOffer(): void {
    this.#renew()
    this.#left += framesPerOffer
  }

  #renew(): void {
    const nowMs = Date.now()
    if (nowMs < this.#endsAtMs) return
    this.#endsAtMs = nowMs + windowMs
    this.#left = framesPerMinute
  }
}
