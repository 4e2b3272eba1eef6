import { sql } from 'drizzle-orm'
import { amountSum, readSum } from './amount-sums.ts'
import type { Wallet } from './caller.ts'
import { newestTime, openSubscriptions, pendingSlashes } from './chain-facts.ts'
import { Store } from './database.ts'
import { chainStates } from './schema/index.ts'

/** The sums over all subscriptions of a wallet that are not closed. */
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

const heldAs = (status: string) => amountSum(sql`iif(status = ${sql.raw(`'${status}'`)}, collateral, '0')`)

/** Sums over everything a wallet has bonded, made by the database: the answer is as small for a thousand as for one. */
export class CollateralStore extends Store {
  /** @param now - Unix seconds. The chain's clock counts where it is ahead: its blocks decide what is released. */
  async totals(owner: Wallet, now: number): Promise<CollateralTotals> {
    // A subscription that was closed before its record began again holds nothing, whatever was taken from it then.
    const { state } = chainStates
    const [row] = await this.db.all<SummedRow>(sql`
      SELECT ${heldAs('bonded')} AS bonded, ${heldAs('unbonding')} AS unbonding,
        ${heldAs('withdrawable')} AS withdrawable,
        ${amountSum(sql`iif(status = 'closed', '0', slashed)`)} AS slashed, coalesce(sum(pending), 0) AS pending
      FROM (
        SELECT iif(${state}->>'status' = 'unbonding' AND ${state}->>'release_at' <= max(${now}, ${newestTime}),
            'withdrawable', ${state}->>'status') AS status,
          coalesce(${state}->>'collateral', '0') AS collateral, coalesce(${state}->>'slashed_total', '0') AS slashed,
          ${pendingSlashes} AS pending
        FROM ${openSubscriptions(owner)})`)
    return {
      bonded: readSum(row?.bonded ?? null),
      unbonding: readSum(row?.unbonding ?? null),
      withdrawable: readSum(row?.withdrawable ?? null),
      slashed: readSum(row?.slashed ?? null),
      pendingSlashes: row?.pending ?? 0,
    }
  }
}
