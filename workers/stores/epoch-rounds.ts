import { type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { type EpochTerms, epochCredits, epochReceipts, epochRounds, rounds } from './schema/index.ts'

/** What the rounds of an epoch came to. */
export interface EpochRoundCounts {
  rounds: number
  finalized: number
  fallback: number
  /** Members that were asked first, and how many of them have a valid vote. */
  primaries: number
  answered: number
  medianFinalityMs: number | null
}

/** How many rounds an epoch had, and how many of them without a committee. */
export interface RoundTotals {
  epoch: number
  rounds: number
  fallbackRounds: number
}

/** What a wallet is credited in an epoch that nobody has attested yet. */
export interface AccruingEpoch {
  projectId: string
  epoch: number
  endsAt: number
  miner: string
  units: number
  /** Of everybody. */
  epochUnits: number
  terms: EpochTerms
}

/** How long credits of an epoch without a receipt are kept. */
const keptSecs = 30 * 86_400

/** What the rounds of each epoch of a project come to. */
export class EpochRoundStore extends Store {
  /** Null for an epoch without rounds. */
  async counts(projectId: string, epoch: number): Promise<EpochRoundCounts | null> {
    const isOfEpoch = sql`project_id = ${projectId} AND epoch = ${epoch}`
    const [row] = await this.db.all<EpochRoundCounts>(sql`
        SELECT rounds, finalized, fallback, primaries, answered,
          (SELECT finality_ms FROM ${rounds} INDEXED BY rounds_by_finality
            WHERE ${isOfEpoch} AND state = 'finalized'
            ORDER BY finality_ms LIMIT 1
            OFFSET (SELECT (finalized - 1) / 2 FROM ${epochRounds} WHERE ${isOfEpoch})) AS medianFinalityMs
        FROM ${epochRounds} WHERE ${isOfEpoch}`)
    return row ?? null
  }

  /** The last two epochs of a project that had rounds, or the one that is asked for. */
  async latest(projectId: string, epoch?: number): Promise<RoundTotals[]> {
    return this.db.all<RoundTotals>(sql`
        SELECT epoch, rounds, fallback AS fallbackRounds FROM ${epochRounds} WHERE project_id = ${projectId}
        ${epoch === undefined ? sql`` : sql`AND epoch = ${epoch}`} ORDER BY epoch DESC LIMIT 2`)
  }

  /** Rounds of each payout address, until the epoch is counted. */
  async roundsOf(projectId: string, epoch: number): Promise<Map<string, number>> {
    const rows = await this.db.all<{ miner: string; rounds: number }>(sql`
        SELECT miner, rounds FROM ${epochCredits} INDEXED BY epoch_credits_of_epoch
        WHERE project_id = ${projectId} AND epoch = ${epoch}`)
    return new Map(rows.map((row) => [row.miner, row.rounds]))
  }

  /** Epochs that a wallet is credited in and that nobody has attested; those that end last come first. */
  async accruing(miner: Wallet, projectId?: string): Promise<AccruingEpoch[]> {
    const rows = await this.db.all<Omit<AccruingEpoch, 'terms'> & { terms: string }>(sql`
        SELECT c.miner, c.project_id AS projectId, c.epoch, c.ends_at AS endsAt, c.units, e.units AS epochUnits, e.terms
        FROM ${epochCredits} AS c CROSS JOIN ${epochRounds} AS e ON e.project_id = c.project_id AND e.epoch = c.epoch
        WHERE c.miner = ${miner} ${projectId === undefined ? sql`` : sql`AND c.project_id = ${projectId}`}
          AND NOT EXISTS (SELECT 1 FROM ${epochReceipts} AS r
            WHERE r.project_id = c.project_id AND r.epoch = c.epoch)
        ORDER BY c.ends_at DESC, c.project_id DESC, c.epoch DESC`)
    return rows.map((row) => ({ ...row, terms: JSON.parse(row.terms) as EpochTerms }))
  }

  /** Forgets credits of epochs that ended long ago: nobody attests them any more. @param now - Unix seconds. */
  async purge(now: number): Promise<void> {
    await this.db.delete(epochCredits).where(sql`ends_at < ${now - keptSecs}`)
  }
}

/** Forgets what payout addresses were credited in an epoch that counts from now on. */
export const countedStatement = (projectId: string, epoch: number, condition: SQL): SQL => sql`
  DELETE FROM ${epochCredits} WHERE project_id = ${projectId} AND epoch = ${epoch} AND ${condition}`
