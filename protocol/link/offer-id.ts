import { FormatError, isMatching } from '../encoding/index.ts'

/** The round and the place in its draw that an offer is about. */
export interface OfferPlace {
  /** `task:` and a hash. */
  readonly round_id: string
  readonly position: number
}

/** `<64 hex digits>.<position>`; a draw has at most 31 primaries and 16 backups, so a position has two digits at most. */
const offerIdPattern = /^([0-9a-f]{64})\.(0|[1-9][0-9]?)$/
export const taskRoundIdPattern = /^task:0x([0-9a-f]{64})$/

/** Whether the value has the shape of an offer id. */
export const isOfferId = isMatching(offerIdPattern)

/**
 * The id of an offer, and of the lease that it becomes: the hash part of the round id, a dot, and the position. It
 * contains its round id, so a receiver finds the round without a table.
 * @throws {@link FormatError} for a round that is not the round of a task, or a position out of range.
 */
export function offerId({ round_id, position }: OfferPlace): string {
  const hash = taskRoundIdPattern.exec(round_id)?.[1]
  if (hash === undefined) throw new FormatError('round_id', 'task:0x and 64 lower-case hex digits')
  const id = `${hash}.${position}`
  if (!isOfferId(id)) throw new FormatError('position', 'an integer from 0 to 99')
  return id
}

/** The round and the position that an offer id names. Throws {@link FormatError}. */
export function parseOfferId(id: string): OfferPlace {
  const [, hash, position] = offerIdPattern.exec(id) ?? []
  if (hash === undefined) throw new FormatError('offer_id', '64 lower-case hex digits, a dot and a position')
  return { round_id: `task:0x${hash}`, position: Number(position) }
}
