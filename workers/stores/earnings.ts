import { and, desc, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { amountParts, readSum, sumOfParts } from './amount-sums.ts'
import type { Wallet } from './caller.ts'
import { isState } from './chain-facts.ts'
import { Store } from './database.ts'
import { dayOf, daySecs, partColumns } from './earning-days.ts'
import {
  chainStates,
  earningDays,
  epochReceipts,
  epochShares,
  subscriptions,
  type Token,
} from './schema/index.ts'
import { fromTemplate, isSameEpoch } from './statements.ts'

/** The payout of a wallet for an epoch. */
export type EarnedPayout = Awaited<ReturnType<EarningStore['payouts']>>[number]

export interface PayoutFilter {
  projectId?: string | undefined
  claimed?: boolean | undefined
}

/** The earnings of a wallet in one token, in one project or on one day. */
export interface EarnedSum {
  key: string
  token: Token
  units: number
  amount: bigint
}

/** A device in a project, with its work. */
export type EarningDevice = Pick<
  InferSelectModel<typeof subscriptions>,
  'projectId' | 'nodeId' | 'units' | 'days'
>

const keys = {
  project: sql.identifier('project_id'),
  day: sql`date(day * ${daySecs}, 'unixepoch')`,
}

/** The payouts that validators attested to wallets. A vetoed epoch earns nothing. */
export class EarningStore extends Store {
  /** The payouts of a wallet, those of the latest ended epochs first; `limit` rows after `after`. */
  async payouts(
    miner: Wallet,
    { projectId, claimed }: PayoutFilter,
    after: Pick<typeof epochShares.$inferSelect, 'endsAt' | 'projectId' | 'epoch'> | undefined,
    limit: number,
  ) {
    const { endsAt, epoch, claimedAt, claimedTx, units, amount, leaf } = epochShares
    const { state, releaseAt, token } = epochReceipts
    const { miner: by, projectId: id } = epochShares
    const index = projectId === undefined ? 'epoch_shares_by_time' : 'epoch_shares_of_project_by_time'
    const newest = sql`ORDER BY ${endsAt} DESC, ${id} DESC, ${epoch} DESC`
    const ranges = [0, 1].filter((range) => claimed === undefined || claimed === (range === 1))
    const rangeOf = (range: number) => sql`SELECT * FROM (
      SELECT * FROM ${epochShares} INDEXED BY ${sql.raw(index)} WHERE ${and(
        sql`${by} = ${miner} AND (${claimedAt} IS NOT NULL) = ${sql.raw(String(range))}`,
        projectId === undefined ? undefined : eq(id, projectId),
        after && sql`(${endsAt}, ${id}, ${epoch}) < (${after.endsAt}, ${after.projectId}, ${after.epoch})`,
      )} ${newest} LIMIT ${limit})`
    // The page has the name of the table, so that its columns are those of the table.
    const page = sql`(SELECT * FROM (${sql.join(ranges.map(rangeOf), sql` UNION ALL `)}) AS ${epochShares}
      ${newest} LIMIT ${limit}) AS ${epochShares}`
    return this.db
      .select({
        ...fromTemplate({ miner: by, projectId: id, epoch, units, amount, leaf, endsAt, claimedTx }),
        ...{ state, releaseAt, token },
      })
      .from(page)
      .crossJoin(epochReceipts)
      .where(isSameEpoch(epochReceipts, epochShares))
      .orderBy(desc(endsAt), desc(id), desc(epoch))
  }

  /**
   * The sums of epochs that ended after `since`, by project or by UTC day. Without `since`, whole days are read instead of payouts.
   * @param since - Unix seconds; null for all epochs.
   */
  async sums(miner: Wallet, by: keyof typeof keys, since: number | null): Promise<EarnedSum[]> {
    const source = since === null ? everyDay(miner) : recentShares(miner, since)
    const rows = await this.db.all<{ key: string; token: string; units: number; amount: string }>(sql`
      SELECT ${keys[by]} AS key, token, sum(units) AS units, ${sumOfParts(partColumns)} AS amount
      FROM (${source}) GROUP BY 1, 2`)
    return rows
      .map((row) => ({ ...row, token: JSON.parse(row.token) as Token, amount: readSum(row.amount) }))
      .filter(({ units }) => units > 0)
  }

  /** The devices that the wallet has, or had, in each project, where they earn for the wallet itself. */
  async devices(owner: Wallet): Promise<EarningDevice[]> {
    const { projectId, nodeId, units, days } = subscriptions
    return this.db
      .select({ projectId, nodeId, units, days })
      .from(subscriptions)
      .innerJoin(chainStates, isState('subscription', subscriptions.subscriptionId))
      .where(
        sql`${subscriptions.owner} = ${owner} AND ${chainStates.state}->>'payout' = ${subscriptions.owner}`,
      )
  }
}

const shareParts = sql.join(
  amountParts(sql`${epochShares.amount}`).map((part, i) => sql`${part} AS ${partColumns[i]}`),
  sql`, `,
)

const recentShares = (miner: Wallet, since: number): SQL => sql`
  SELECT ${epochShares.projectId}, ${dayOf(sql`${epochShares.endsAt}`)} AS day, ${epochReceipts.token}, ${epochShares.units}, ${shareParts}
  FROM ${epochShares} INDEXED BY epoch_shares_by_time CROSS JOIN ${epochReceipts} ON ${isSameEpoch(epochReceipts, epochShares)}
  WHERE ${epochShares.miner} = ${miner} AND (${epochShares.claimedAt} IS NOT NULL) IN (0, 1)
    AND ${epochShares.endsAt} > ${since} AND ${epochReceipts.state} <> 'vetoed'`

/** A trigger takes vetoed epochs off. */
const everyDay = (miner: Wallet): SQL => sql`
  SELECT project_id, day, token, units, ${sql.join(partColumns, sql`, `)} FROM ${earningDays}
  WHERE ${earningDays.miner} = ${miner}`
