import { unixNow } from '../durable-objects/clock.ts'
import { ApiError } from './errors.ts'

/** Network time in Unix seconds dates all that the protocol dates. Sessions, rate limits and caches keep the clock of the machine. */
export interface NetworkClock {
  now(): Promise<number>
}

/** A lead that was read is used for this long: requests of one moment share it, and a leap of the chain shows at once. */
const leadMs = 100

/** The clock of the machine, or one that is ahead of it by the seconds that the chain is. */
export function createNetworkClock(
  follows: 'system' | 'chain',
  readLead: () => Promise<number>,
): NetworkClock {
  return follows === 'system' ? { now: async () => unixNow() } : new ChainClock(readLead)
}

/** Never goes backwards, whatever becomes of the index and of the machine's clock. */
class ChainClock implements NetworkClock {
  readonly #readLead: () => Promise<number>
  #leadSecs = 0
  #readAtMs = Number.NEGATIVE_INFINITY
  #latest = 0

  constructor(readLead: () => Promise<number>) {
    this.#readLead = readLead
  }

  async now(): Promise<number> {
    if (Date.now() - this.#readAtMs >= leadMs) await this.#refresh()
    this.#latest = Math.max(this.#latest, unixNow() + this.#leadSecs)
    return this.#latest
  }

  /** A database that does not answer leaves the lead as it was: the time is asked for by answers that need no database. */
  async #refresh(): Promise<void> {
    const readAtMs = this.#readAtMs
    // Other calls use the known lead while this one reads it.
    if (Number.isFinite(readAtMs)) this.#readAtMs = Date.now()
    try {
      this.#leadSecs = await this.#readLead()
      this.#readAtMs = Date.now()
    } catch (error) {
      this.#readAtMs = readAtMs
      if (!(error instanceof ApiError)) throw error
    }
  }
}
