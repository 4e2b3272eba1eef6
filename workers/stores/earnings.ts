import { type SQL, sql } from 'drizzle-orm'
import { amountParts, readSum, sumText } from './amount-sums.ts'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { dayOf, daySecs, partColumns } from './earning-days.ts'
import type { EpochRow } from './epochs.ts'
import {
  chainStates,
  earningDays,
  epochReceipts,
  epochShares,
  subscriptions,
  type Token,
} from './schema/index.ts'

/** What a wallet has in an epoch. */
export interface EarnedPayout extends Pick<EpochRow, 'projectId' | 'epoch' | 'state' | 'releaseAt'> {
  miner: string
  units: number
  amount: string
  /** Null for an amount of 0, which nobody claims. */
  leaf: number | null
  endsAt: number
  claimedTx: string | null
  token: Token
}

export interface PayoutFilter {
  projectId?: string | undefined
  claimed?: boolean | undefined
}

export interface PayoutPosition {
  endsAt: number
  projectId: string
  epoch: number
}

/** What a wallet earned of one token, in one project or on one day. */
export interface EarnedSum {
  key: string
  token: Token
  units: number
  amount: bigint
}

const sharedParts = amountParts('s.amount')

const keys = {
  project: sql`project_id`,
  day: sql`date(day * ${daySecs}, 'unixepoch')`,
}

/** What validators attested to wallets. A vetoed epoch earns nothing. */
export class EarningStore extends Store {
  /** Those whose epochs ended last come first; `limit` rows after `after`. */
  async payouts(
    miner: Wallet,
    { projectId, claimed }: PayoutFilter,
    after: PayoutPosition | undefined,
    limit: number,
  ): Promise<EarnedPayout[]> {
    const ranges = [0, 1].filter((range) => claimed === undefined || claimed === (range === 1))
    const rangeOf = (range: number) => sql`SELECT * FROM (
      SELECT s.miner, s.project_id, s.epoch, s.units, s.amount, s.leaf, s.ends_at, s.claimed_tx FROM ${epochShares} AS s
      INDEXED BY ${sql.raw(projectId === undefined ? 'epoch_shares_by_time' : 'epoch_shares_of_project_by_time')}
      WHERE s.miner = ${miner} AND (s.claimed_at IS NOT NULL) = ${sql.raw(String(range))}
      ${projectId === undefined ? sql`` : sql`AND s.project_id = ${projectId}`}
      ${after === undefined ? sql`` : sql`AND (s.ends_at, s.project_id, s.epoch) < (${after.endsAt}, ${after.projectId}, ${after.epoch})`}
      ORDER BY s.ends_at DESC, s.project_id DESC, s.epoch DESC LIMIT ${limit})`
    const rows = await this.db.all<Omit<EarnedPayout, 'token'> & { token: string }>(sql`
        SELECT s.miner, s.project_id AS projectId, s.epoch, s.units, s.amount, s.leaf, s.ends_at AS endsAt,
          s.claimed_tx AS claimedTx, r.state, r.release_at AS releaseAt, r.token
        FROM (SELECT * FROM (${sql.join(ranges.map(rangeOf), sql` UNION ALL `)})
          ORDER BY ends_at DESC, project_id DESC, epoch DESC LIMIT ${limit}) AS s
        CROSS JOIN ${epochReceipts} AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
        ORDER BY s.ends_at DESC, s.project_id DESC, s.epoch DESC`)
    return rows.map((row) => ({ ...row, token: JSON.parse(row.token) as Token }))
  }

  /**
   * What epochs came to that ended after `since`, by project or by UTC day. From the beginning on, whole days are read
   * instead of payouts.
   *
   * @param since - Unix seconds; null for all there were.
   */
  async sums(miner: Wallet, by: keyof typeof keys, since: number | null): Promise<EarnedSum[]> {
    const parts = sql.raw(partColumns.join(', '))
    const source = since === null ? everyDay(miner) : recentShares(miner, since)
    const rows = await this.db.all<{ key: string; token: string; units: number; amount: string }>(sql`
        SELECT ${keys[by]} AS key, token, sum(units) AS units, ${sql.raw(sumText(partColumns))} AS amount
        FROM (SELECT project_id, day, token, units, ${parts} FROM (${source})) GROUP BY 1, 2`)
    return rows
      .map((row) => ({ ...row, token: JSON.parse(row.token) as Token, amount: readSum(row.amount) }))
      .filter(({ units }) => units > 0)
  }

  /** The devices that the wallet has, or had, in each project, where they earn for the wallet itself. */
  async devices(owner: Wallet): Promise<{ projectId: string; nodeId: string }[]> {
    return this.db.all<{ projectId: string; nodeId: string }>(sql`
        SELECT s.project_id AS projectId, s.node_id AS nodeId FROM ${subscriptions} AS s
        JOIN ${chainStates} AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
        WHERE s.owner = ${owner} AND c.state->>'payout' = s.owner`)
  }
}

const columnsOf = (sign: string): SQL =>
  sql.raw(
    `${sign}s.units AS units, ${sharedParts.map((part, i) => `${sign}${part} AS part_${i}`).join(', ')}`,
  )

const recentShares = (miner: Wallet, since: number): SQL => sql`
  SELECT s.project_id, ${dayOf(sql`s.ends_at`)} AS day, r.token, ${columnsOf('')}
  FROM ${epochShares} AS s INDEXED BY epoch_shares_by_time
  CROSS JOIN ${epochReceipts} AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
  WHERE s.miner = ${miner} AND (s.claimed_at IS NOT NULL) IN (0, 1) AND s.ends_at > ${since}
    AND r.state <> 'vetoed'`

/** Vetoes are few, and are taken off again. */
const everyDay = (miner: Wallet): SQL => sql`
  SELECT project_id, day, token, units, ${sql.raw(partColumns.join(', '))} FROM ${earningDays}
  WHERE miner = ${miner}
  UNION ALL
  SELECT s.project_id, ${dayOf(sql`s.ends_at`)}, r.token, ${columnsOf('-')}
  FROM ${epochReceipts} AS r INDEXED BY epoch_receipts_by_state
  CROSS JOIN ${epochShares} AS s ON s.miner = ${miner} AND s.project_id = r.project_id AND s.epoch = r.epoch
  WHERE r.state = 'vetoed'`
