import { eq, type InferSelectModel, inArray, lte, sql } from 'drizzle-orm'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import { Store } from './database.ts'
import { earlyEvidence, rounds } from './schema/index.ts'

type Row = InferSelectModel<typeof earlyEvidence>

/** No round is open for this long: older evidence waits for nothing. */
const keptSecs = 7 * 86_400

/** Evidence of missed and wrong votes in rounds that are not over. There is one for each offence, proven but for its blame. */
export class EarlyEvidenceStore extends Store {
  async keep(offenceId: string, evidence: Evidence, now: number): Promise<void> {
    const row = { offenceId, roundId: evidence.round_id, receivedAt: now }
    await this.db
      .insert(earlyEvidence)
      .values({ ...row, evidence: sql`${encodeCanonicalJson(evidence)}` })
      .onConflictDoNothing()
  }

  /** Evidence of rounds that are over, in random order: evidence that cannot be judged for long keeps no other waiting. */
  async due(limit: number): Promise<Pick<Row, 'offenceId' | 'evidence'>[]> {
    return this.db
      .select({ offenceId: earlyEvidence.offenceId, evidence: earlyEvidence.evidence })
      .from(earlyEvidence)
      .innerJoin(rounds, eq(rounds.roundId, earlyEvidence.roundId))
      .where(inArray(rounds.state, ['finalized', 'failed']))
      .orderBy(sql`random()`)
      .limit(limit)
  }

  async forget(offenceId: string): Promise<void> {
    await this.db.delete(earlyEvidence).where(eq(earlyEvidence.offenceId, offenceId))
  }

  async purge(now: number): Promise<void> {
    await this.db.delete(earlyEvidence).where(lte(earlyEvidence.receivedAt, now - keptSecs))
  }
}
