import { readRows, Store } from './database.ts'
import type { EpochRow } from './epochs.ts'
import type { Token } from './schema/index.ts'

/** A payout that its vault pays to the miner, for any caller that submits the proof. */
export interface Payout extends Pick<EpochRow, 'receiptHash' | 'leaves'> {
  projectId: string
  vault: string
  epoch: number
  amount: string
  leaf: number
  token: Token
}

interface PayoutRow extends Omit<Payout, 'token'> {
  token: string
}

/** What wallets can claim. */
export class ClaimStore extends Store {
  /**
   * Released and unclaimed payouts of a wallet, by project and then oldest first; `limit` at most.
   *
   * @param projectId - Only of this one; null for all.
   * @param now - Unix seconds.
   */
  async claimable(miner: string, projectId: string | null, now: number, limit: number): Promise<Payout[]> {
    const rows = await readRows<PayoutRow>(this.db, claimableText, [miner, now, projectId, limit])
    return rows.map(payoutOf)
  }

  /**
   * Those of them that no open withdrawal brings: of each project the oldest `payoutsMax`, and of `projectsMax` projects.
   *
   * @param projectIds - Only of these; null for all.
   */
  async free(
    miner: string,
    projectIds: readonly string[] | null,
    now: number,
    { projectsMax, payoutsMax }: { projectsMax: number; payoutsMax: number },
  ): Promise<Payout[][]> {
    const only = projectIds && JSON.stringify(projectIds)
    const found = await readRows<{ projectId: string }>(this.db, freeProjectsText, [
      miner,
      now,
      only,
      projectsMax,
    ])
    const payouts = await Promise.all(
      found.map(({ projectId }) =>
        readRows<PayoutRow>(this.db, freeText, [miner, now, projectId, payoutsMax]),
      ),
    )
    return payouts.filter((rows) => rows.length > 0).map((rows) => rows.map(payoutOf))
  }
}

const payoutOf = (row: PayoutRow): Payout => ({ ...row, token: JSON.parse(row.token) as Token })

const isFree = 'AND s.withdrawal_id IS NULL'

/** The shares of a wallet that can be claimed; an index has those that were not. */
const fromClaimable = (condition: string): string => `
  FROM epoch_shares AS s INDEXED BY epoch_shares_unclaimed
  CROSS JOIN epoch_receipts AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
  WHERE s.miner = ?1 AND s.claimed_at IS NULL AND s.leaf IS NOT NULL ${condition}
    AND r.state = 'settled' AND r.release_at <= ?2`

const payoutsText = (condition: string): string => `
  SELECT s.project_id AS projectId, r.vault, s.epoch, s.amount, s.leaf, r.token, r.receipt_hash AS receiptHash,
    r.leaves
  ${fromClaimable(condition)} AND (?3 IS NULL OR s.project_id = ?3)
  ORDER BY s.project_id, s.epoch LIMIT ?4`

const claimableText = payoutsText('')
const freeText = payoutsText(isFree)

/** From project to project by the index, so that the payouts of one are not read to find the next. */
const nextProject = (after: string): string => `
  SELECT min(s.project_id) FROM epoch_shares AS s INDEXED BY epoch_shares_unclaimed
  WHERE s.miner = ?1 AND s.claimed_at IS NULL AND s.leaf IS NOT NULL ${after}`

const freeProjectsText = `
  WITH RECURSIVE earning(project_id) AS (
    ${nextProject('')}
    UNION ALL
    SELECT (${nextProject('AND s.project_id > earning.project_id')}) FROM earning WHERE project_id IS NOT NULL)
  SELECT earning.project_id AS projectId FROM earning
  WHERE earning.project_id IS NOT NULL
    AND (?3 IS NULL OR earning.project_id IN (SELECT value FROM json_each(?3)))
    AND EXISTS (SELECT 1 ${fromClaimable(`${isFree} AND s.project_id = earning.project_id`)})
  LIMIT ?4`
