/** Frames that a hub cannot take: two that are none, of which the third closes a socket, and two about what nobody offered. */
export function unknownFrames(offerId: string): (string | Uint8Array<ArrayBuffer>)[] {
  const unknown = `${[...offerId.slice(0, 64)].reverse().join('')}.0`
  return [
    '{"type":"dance"}',
    new Uint8Array([0, 1, 2]),
    JSON.stringify({ type: 'accept', offer_id: unknown }),
    JSON.stringify({ type: 'decline', offer_id: unknown, reason: 'busy' }),
  ]
}
