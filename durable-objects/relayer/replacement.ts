import { type FeeMarket, type Fees, initialFees, replacementFees } from './fees.ts'
import type { Attempt } from './ledger.ts'
import type { SendRefusal } from './send-errors.ts'

export interface WaitingNonce {
  /** Transactions signed with it, the last one first. */
  attempts: readonly Attempt[]
  /** No lower nonce waits. */
  isFirst: boolean
  /** A node's refusal of the last of them just now; null when it took it, or was not asked. */
  refusal: SendRefusal | null
  /** It was refused so long that this does not pass by itself. */
  isGivenUp: boolean
}

export interface Replacement {
  fees: Fees
  noop: boolean
}

/**
 * The replacement for the last attempt of a nonce, or null while that may still be mined.
 *
 * | What is known | What follows |
 * | --- | --- |
 * | first in line, taken by a node, and in no block for `stuckMs` | higher fees |
 * | the base fee or the node says that it is too cheap | higher fees |
 * | refused for another reason, and the market is lower than `stuckMs` ago | the fees of the market |
 * | refused for long | the fees of the market where these are lower, else a noop |
 *
 * A balance that is too low makes no noop: the next payment into it ends the refusals.
 */
export function replacementOf(
  { attempts, isFirst, refusal, isGivenUp }: WaitingNonce,
  market: FeeMarket,
  capWei: bigint,
  { stuckMs, nowMs }: { stuckMs: number; nowMs: number },
): Replacement | null {
  const [last] = attempts
  if (last === undefined) return null
  const isOld = nowMs - last.signedAtMs >= stuckMs
  const isCheap = last.maxFeeWei < market.baseFeeWei || refusal === 'underpriced'
  if (isCheap || (isFirst && last.accepted && isOld)) {
    const fees = replacementFees(last, market, capWei)
    return fees && { fees, noop: last.noop }
  }
  if (refusal !== 'temporary' && refusal !== 'invalid' && refusal !== 'insufficient_funds') return null
  const fees = initialFees(market, capWei)
  if (fees === null) return null
  const isLower = fees.maxFeeWei * 11n <= last.maxFeeWei * 10n
  // An earlier attempt that a pool still has pays more than the market, and is mined, or less, and is replaced by this.
  if (isLower && isOld && !(isGivenUp && refusal === 'invalid')) return { fees, noop: last.noop }
  return isGivenUp && !last.noop && refusal !== 'insufficient_funds' ? { fees, noop: true } : null
}
