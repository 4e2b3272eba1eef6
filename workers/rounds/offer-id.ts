/** The id of an offer and of its lease: the hash part of the round id, a dot, and the position in the draw. */
export const offerId = (roundId: string, position: number): string =>
  `${roundId.slice('task:0x'.length)}.${position}`
