import type { OfferLedger } from './offers.ts'

/** Where less is left of the time to accept, in seconds, an accept is told at once, and until then in memory for a while. */
const acceptSlackSecs = 5

export const isUrgent = (acceptBy: number, now: number): boolean => now + acceptSlackSecs > acceptBy

/**
 * Notes of offers that their nodes said nothing of them, while this process was there to hear it. The timer keeps the object from sleeping until
 * then, so a process that begins and finds an open offer neither answered nor noted knows that the one before it ended, and may have had
 * an accept in memory. What a node does cannot make a note be left out.
 */
export class Silences {
  readonly #offers: OfferLedger
  readonly #now: () => Promise<number>
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(offers: OfferLedger, now: () => Promise<number>) {
    this.#offers = offers
    this.#now = now
  }

  /** Notes what is so by now, and looks again as long as something is to be noted. */
  look(now: number): void {
    clearTimeout(this.#timer)
    const unanswered = this.#offers.unanswered()
    const silent = unanswered.filter(({ acceptBy }) => isUrgent(acceptBy, now))
    this.#offers.noteSilent(silent.map(({ offerId }) => offerId))
    const next = unanswered
      .filter(({ acceptBy }) => !isUrgent(acceptBy, now))
      .reduce((first, { acceptBy }) => Math.min(first, acceptBy), Infinity)
    if (next < Infinity)
      this.#timer = setTimeout(() => this.#lookAgain(), (next - acceptSlackSecs + 1 - now) * 1000)
  }

  async #lookAgain(): Promise<void> {
    try {
      this.look(await this.#now())
    } catch (error) {
      console.error('what a node did not say could not be noted', error)
    }
  }
}
