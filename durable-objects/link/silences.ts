import type { OfferLedger } from './offers.ts'

/** A node answers its offer sooner, unless it is slow or silent. */
const answeredMs = 1_000

/**
 * Notes that a node has not answered an offer, while this process was there to hear it. An accept before the note is in memory for a while;
 * one after it is told at once. The timers keep the object from sleeping, so a process that begins and finds an open offer neither
 * answered nor noted knows that the one before it ended, and may have had an accept in memory. A node cannot suppress a note.
 */
export class Silences {
  readonly #offers: OfferLedger
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(offers: OfferLedger) {
    this.#offers = offers
  }

  /** After every change of offers. */
  look(): void {
    const unanswered = new Set(this.#offers.unanswered())
    for (const [offerId, timer] of this.#timers) {
      if (unanswered.has(offerId)) continue
      clearTimeout(timer)
      this.#timers.delete(offerId)
    }
    for (const offerId of unanswered)
      if (!this.#timers.has(offerId))
        this.#timers.set(
          offerId,
          setTimeout(() => this.#note(offerId), answeredMs),
        )
  }

  #note(offerId: string): void {
    this.#timers.delete(offerId)
    this.#offers.noteSilent(offerId)
  }
}
