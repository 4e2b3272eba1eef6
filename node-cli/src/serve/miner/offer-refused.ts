import type { DeclineReason } from '../../../../protocol/relay/index.ts'

/** Thrown for an offer that the node does not take; the message says why, for its operator. */
export class OfferRefused extends Error {
  override readonly name = 'OfferRefused'
  readonly reason: DeclineReason

  constructor(reason: DeclineReason, message: string) {
    super(message)
    this.reason = reason
  }
}
