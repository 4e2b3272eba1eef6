import { type DeclineReason, parseOfferId } from '../../protocol/link/index.ts'
import type { Connection } from './connection.ts'
import type { KeptOffer, OfferLedger } from './offers.ts'
import type { NodeLinkConfig, RoundPort } from './types.ts'

/** A vote says that its node accepted: the round is told of an accept only if no vote comes within this time. */
const acceptsToldMs = 2_000
/** Seconds that are left then to accept, at least. */
const acceptSlackSecs = 5
/** A message reaches its round within this time, unless the hub is in trouble. */
const atOnceSecs = 1

type RoundOf = Pick<NodeLinkConfig, 'round'>

export const roundOf = (config: RoundOf, offerId: string): RoundPort =>
  config.round(parseOfferId(offerId).round_id)

/** Tells rounds what a node answered to their offers. */
export class Telling {
  readonly #offers: OfferLedger
  readonly #connection: Connection
  readonly #config: RoundOf & Pick<NodeLinkConfig, 'now'>
  readonly #schedule: () => Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param schedule - Called after something was told that nobody waits for. */
  constructor(
    offers: OfferLedger,
    connection: Connection,
    config: RoundOf & Pick<NodeLinkConfig, 'now'>,
    schedule: () => Promise<void>,
  ) {
    this.#offers = offers
    this.#connection = connection
    this.#config = config
    this.#schedule = schedule
  }

  /** A node has just given an answer other than a vote. */
  async answered(kept: KeptOffer): Promise<void> {
    if (kept.state !== 'accepted') return this.#tell(kept)
    const { offerId } = kept
    const isUrgent = (await this.#config.now()) + acceptSlackSecs > this.#offers.acceptBy(offerId)
    // One of which it was noted that nothing was heard would be missed by no other process.
    if (isUrgent || this.#offers.isSilent(offerId)) await this.accepted()
    else this.#timer ??= setTimeout(() => this.#acceptedInTime(), acceptsToldMs)
  }

  /** An accept that its round does not know, or whose vote takes longer, outlives this process. */
  async accepted(): Promise<void> {
    this.#stop()
    const accepted = this.#offers.takeAccepted()
    await Promise.all(accepted.map((kept) => this.#tell(kept)))
    this.#offers.storeAccepted(accepted)
  }

  /** Tells accepts that are left, and answers that could not be told before. */
  async untold(): Promise<void> {
    await this.accepted()
    for (const kept of this.#offers.untold()) await this.#tell(kept, true)
  }

  /** If nothing is left to tell, stops the timer that keeps the object awake. */
  restIfDone(): void {
    if (!this.#offers.hasUnstored()) this.#stop()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #acceptedInTime(): Promise<void> {
    try {
      await this.accepted()
      await this.#schedule()
    } catch (error) {
      console.error(`the accepted offers of ${this.#connection.nodeKey} could not be told`, error)
    }
  }

  /** An answer that cannot be told is told again by an alarm. A round that hears it at once hears it in time, however late the node gave it. */
  async #tell({ offerId, state, reason, isExcused }: KeptOffer, isAgain = false): Promise<void> {
    const round = roundOf(this.#config, offerId)
    try {
      const began = await this.#config.now()
      if (state === 'accepted') await round.accepted(offerId, this.#connection.nodeKey)
      if (state === 'declined')
        await round.declined(offerId, this.#connection.nodeKey, reason as DeclineReason, isExcused)
      const now = await this.#config.now()
      const isAtOnce = !isAgain && now - began <= atOnceSecs
      this.#offers.told(offerId, state, isAtOnce || now < this.#offers.acceptBy(offerId))
    } catch (error) {
      console.error(`the round of ${offerId} could not be told that it was ${state}`, error)
    }
  }
}
