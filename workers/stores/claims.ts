import { and, eq, type SQL, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import type { EpochRow } from './epochs.ts'
import { epochReceipts, epochShares, type Token } from './schema/index.ts'
import { fromTemplate, isOneOf, isSameEpoch } from './statements.ts'

/** A payout that its vault pays to the miner, for any caller that submits the proof. */
export interface Payout extends Pick<EpochRow, 'receiptHash' | 'leaves'> {
  projectId: string
  vault: string
  epoch: number
  amount: string
  leaf: number
  token: Token
  /** When the challenge period of the epoch ended. */
  releaseAt: number
}

export class ClaimStore extends Store {
  /**
   * Released and unclaimed payouts of a wallet, by project and then oldest first; `limit` at most. @param projectId - Only of this one;
   * null for all. @param now - Unix seconds.
   */
  async claimable(miner: string, projectId: string | null, now: number, limit: number): Promise<Payout[]> {
    return this.#payouts(miner, projectId, now, limit, undefined)
  }

  /**
   * Released and unclaimed payouts that no open withdrawal claims: the oldest `payoutsMax` of each project, and `projectsMax`
   * projects.
   * @param projectIds - Only of these; null for all.
   */
  async free(
    miner: string,
    projectIds: readonly string[] | null,
    now: number,
    { projectsMax, payoutsMax }: { projectsMax: number; payoutsMax: number },
  ): Promise<Payout[][]> {
    const { projectId } = epochShares
    const earning = sql<string>`earning.project_id`
    // From project to project by the index, so that the payouts of one are not read to find the next.
    const next = (after: SQL) =>
      sql`SELECT min(${projectId}) FROM ${unclaimed} WHERE ${isUnclaimed(miner)}${after}`
    const found = await this.db.all<{ projectId: string }>(sql`
      WITH RECURSIVE earning(project_id) AS (
        ${next(sql``)}
        UNION ALL
        SELECT (${next(sql` AND ${projectId} > ${earning}`)}) FROM earning WHERE project_id IS NOT NULL)
      SELECT ${earning} AS projectId FROM earning
      WHERE ${earning} IS NOT NULL AND ${projectIds === null ? sql`true` : isOneOf(earning, projectIds)}
        AND EXISTS (SELECT 1 FROM ${unclaimed} CROSS JOIN ${epochReceipts}
          WHERE ${isClaimable(miner, now)} AND ${isFree} AND ${projectId} = ${earning})
      LIMIT ${projectsMax}`)
    const payouts = await Promise.all(
      found.map((project) => this.#payouts(miner, project.projectId, now, payoutsMax, isFree)),
    )
    return payouts.filter((rows) => rows.length > 0)
  }

  async #payouts(
    miner: string,
    only: string | null,
    now: number,
    limit: number,
    condition: SQL | undefined,
  ): Promise<Payout[]> {
    const { projectId, epoch, amount, leaf } = epochShares
    const { vault, token, receiptHash, leaves } = epochReceipts
    return this.db
      .select({
        ...fromTemplate({ projectId, epoch, amount }),
        leaf: sql<number>`${leaf}`,
        ...{ vault, token, receiptHash, leaves },
        releaseAt: sql<number>`${epochReceipts.releaseAt}`,
      })
      .from(unclaimed)
      .crossJoin(epochReceipts)
      .where(and(isClaimable(miner, now), condition, only === null ? undefined : eq(projectId, only)))
      .orderBy(projectId, epoch)
      .limit(limit)
  }
}

const isFree = sql`${epochShares.withdrawalId} IS NULL`

/** The shares that can be claimed: an index has those that were not. */
const unclaimed = sql`${epochShares} INDEXED BY epoch_shares_unclaimed`

const isUnclaimed = (miner: string): SQL => sql`${epochShares.miner} = ${miner}
  AND ${epochShares.claimedAt} IS NULL AND ${epochShares.leaf} IS NOT NULL`

const isClaimable = (miner: string, now: number): SQL => sql`${isUnclaimed(miner)}
  AND ${isSameEpoch(epochReceipts, epochShares)} AND ${epochReceipts.state} = 'settled'
  AND ${epochReceipts.releaseAt} <= ${now}`
