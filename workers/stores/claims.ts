import { type Database, readRows } from './database.ts'
import type { EpochRow } from './epochs.ts'
import type { Token } from './schema.ts'

/** A payout that its vault pays to whoever brings the proof, always to the miner. */
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
export class ClaimStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Released and unclaimed payouts of a wallet, by project and then oldest first; `limit` at most.
   *
   * @param projectId - Only of this one; null for all.
   * @param now - Unix seconds.
   */
  async claimable(miner: string, projectId: string | null, now: number, limit: number): Promise<Payout[]> {
    const rows = await readRows<PayoutRow>(this.#db, claimableText, [miner, now, projectId, limit])
    return rows.map((row) => ({ ...row, token: JSON.parse(row.token) as Token }))
  }
}

const claimableText = `
  SELECT s.project_id AS projectId, r.vault, s.epoch, s.amount, s.leaf, r.token, r.receipt_hash AS receiptHash,
    r.leaves
  FROM epoch_shares AS s INDEXED BY epoch_shares_unclaimed
  CROSS JOIN epoch_receipts AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
  WHERE s.miner = ?1 AND s.claimed_at IS NULL AND s.leaf IS NOT NULL
    AND r.state = 'settled' AND r.release_at <= ?2
    AND (?3 IS NULL OR s.project_id = ?3)
  ORDER BY s.project_id, s.epoch LIMIT ?4`
