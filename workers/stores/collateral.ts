import { sql } from 'drizzle-orm'
import { amountParts, readSum, sumText } from './amount-sums.ts'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { openSubscriptions } from './open-subscriptions.ts'
import { pendingSlashesOf } from './pending-slashes.ts'

/** What a wallet's subscriptions that are not closed hold together. */
export interface CollateralTotals {
  bonded: bigint
  unbonding: bigint
  withdrawable: bigint
  slashed: bigint
  pendingSlashes: number
}

interface SummedRow extends Record<'bonded' | 'unbonding' | 'withdrawable' | 'slashed', string | null> {
  pending: number
}

/** The sum of the amounts in one state. */
const heldAs = (status: string) => sql.raw(sumText(amountParts(`iif(status = '${status}', collateral, '0')`)))

/** Sums over everything a wallet has bonded, made by the database: the answer is as small for a thousand as for one. */
export class CollateralStore extends Store {
  /** @param now - Unix seconds. The chain's clock counts where it is ahead: its blocks decide what is released. */
  async totals(owner: Wallet, now: number): Promise<CollateralTotals> {
    // One that was closed before its record began again holds nothing, whatever was taken from it then.
    const [row] = (await this.db.all(sql`
        SELECT ${heldAs('bonded')} AS bonded, ${heldAs('unbonding')} AS unbonding,
          ${heldAs('withdrawable')} AS withdrawable,
          ${sql.raw(sumText(amountParts("iif(status = 'closed', '0', slashed)")))} AS slashed,
          coalesce(sum(pending), 0) AS pending
        FROM (
          SELECT CASE WHEN c.state->>'status' = 'unbonding' AND c.state->>'release_at' <= max(${now}, coalesce((
              SELECT timestamp FROM chain_blocks ORDER BY number DESC LIMIT 1), 0))
              THEN 'withdrawable' ELSE c.state->>'status' END AS status,
            coalesce(c.state->>'collateral', '0') AS collateral, coalesce(c.state->>'slashed_total', '0') AS slashed,
            ${pendingSlashesOf(sql.raw('s.subscription_id'))} AS pending
          FROM ${openSubscriptions(owner)})`)) as SummedRow[]
    return {
      bonded: readSum(row?.bonded ?? null),
      unbonding: readSum(row?.unbonding ?? null),
      withdrawable: readSum(row?.withdrawable ?? null),
      slashed: readSum(row?.slashed ?? null),
      pendingSlashes: row?.pending ?? 0,
    }
  }
}
