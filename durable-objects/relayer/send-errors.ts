/**
 * What a node's refusal of a raw transaction means for its nonce.
 *
 * - `already_known`: these bytes, or others with this nonce and better fees, are in the pool
 * - `nonce_too_low`: a transaction with this nonce was mined; which one, its receipt says
 * - `underpriced`: the fees are too low
 * - `insufficient_funds`: the balance does not cover it
 * - `invalid`: no chain will ever take these bytes
 * - `temporary`: anything else, such as a node that takes itself for one of another chain; the same bytes are sent again
 */
export type SendRefusal =
  | 'already_known'
  | 'nonce_too_low'
  | 'underpriced'
  | 'insufficient_funds'
  | 'invalid'
  | 'temporary'

/** In order: a message is read by the first pattern that fits it. Codes differ between nodes, so only words count. */
const refusals: readonly [RegExp, SendRefusal][] = [
  [/already known|already imported|already exists|known transaction/i, 'already_known'],
  [/replacement transaction underpriced|replacement fee too low|could not replace/i, 'already_known'],
  [/nonce too low|nonce is too low|nonce has already been used|old nonce/i, 'nonce_too_low'],
  [/less than block base fee|underpriced|fee too low|gas price too low|tip.*too low/i, 'underpriced'],
  [/insufficient funds|insufficient balance|overdraft/i, 'insufficient_funds'],
  [/intrinsic gas|exceeds block gas limit|gas limit.*(high|exceed)|oversized/i, 'invalid'],
]

export function readSendRefusal(message: string): SendRefusal {
  return refusals.find(([pattern]) => pattern.test(message))?.[1] ?? 'temporary'
}
