import type { OfferLedger } from './offers.ts'

/** A node answers its offer sooner, unless it is slow or silent. */
const answeredMs = 1_000

/**
 * Notes of offers that their nodes have said nothing of them yet, while this process was there to hear it. What a node says before is in memory for a
 * while, and afterwards told at once. The timers keep the object from sleeping, so a process that begins and finds an open offer neither
 * answered nor noted knows that the one before it ended, and may have had an accept in memory. What a node does cannot make a note be left out.
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
