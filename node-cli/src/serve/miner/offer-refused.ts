import type { DeclineReason } from '../../../../protocol/link/index.ts'

/** Thrown for an offer that the node does not take; the message says why, for its operator. */
export class OfferRefused extends Error {
  override readonly name = 'OfferRefused'
  readonly reason: DeclineReason

  constructor(reason: DeclineReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Thrown for an offer that cannot be judged while the hub does not give what that takes. It may in a moment. */
export class HubAway extends OfferRefused {
  readonly retryAfterSeconds: number | null

  constructor(message: string, retryAfterSeconds: number | null) {
    super('busy', message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Thrown for an offer whose lease or vote cannot be stored: what is not stored is neither accepted nor sent. */
export class DataDirFailed extends OfferRefused {
  constructor({ message }: Error) {
    super('busy', `the data directory cannot be used: ${message}`)
  }
}
