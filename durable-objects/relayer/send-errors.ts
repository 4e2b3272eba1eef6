/**
 * The meaning of a node's refusal of a raw transaction for its nonce.
 *
 * - `already_known`: these bytes, or others with this nonce and better fees, are in the pool
 * - `nonce_too_low`: a transaction with this nonce was mined; which one, its receipt says
 * - `nonce_gap`: a lower nonce comes first
 * - `underpriced`: the fees are too low
 * - `insufficient_funds`: the balance does not cover it
 * - `invalid`: no chain will ever take these bytes
 * - `temporary`: anything else, such as a node that takes itself for one of another chain; the same bytes are sent again
 */
export type SendRefusal =
  | 'already_known'
  | 'nonce_too_low'
  | 'nonce_gap'
  | 'underpriced'
  | 'insufficient_funds'
  | 'invalid'
  | 'temporary'

/** The first pattern that fits decides. Codes differ, so only words count: of geth, Erigon, Nethermind, Besu, Reth and OpenEthereum. */
const refusals: readonly [RegExp, SendRefusal][] = [
  [
    /already ?known|already imported|already exists|\bknown transaction|existing txn? with same hash/i,
    'already_known',
  ],
  [/replacement (transaction )?underpriced|replacement fee too low|could not replace/i, 'already_known'],
  [/ReplacementNotAllowed|OwnNonceAlreadyUsed|replaced by transaction with higher tip/i, 'already_known'],
  [/another transaction with same nonce/i, 'already_known'],
  [/nonce (is )?too low|nonce has already been used|old ?nonce|^(\w+: )?mined$/i, 'nonce_too_low'],
  [/nonce (is )?too (high|distant)|nonce ?gap|gapped.nonce|NonceTooFarInFuture/i, 'nonce_gap'],
  [/less than block base fee|underpriced|fee ?too ?low|gas price.* too low|tip.*too low/i, 'underpriced'],
  [/below configured minimum gas price/i, 'underpriced'],
  [/insufficient ?funds|insufficient balance|overdraft|upfront cost exceeds/i, 'insufficient_funds'],
  [/intrinsic ?gas|exceeds block gas limit|gas ?limit.*(high|exceed)|oversized|RLP ?too ?long/i, 'invalid'],
]

export function readSendRefusal(message: string): SendRefusal {
  return refusals.find(([pattern]) => pattern.test(message))?.[1] ?? 'temporary'
}
