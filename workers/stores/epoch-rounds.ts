import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { archives, epochCredits, epochReceipts, epochRounds, rounds } from './schema/index.ts'
import { build, fromTemplate, isEpoch, isSameEpoch } from './statements.ts'

/** The credits of a wallet in an epoch that nobody has attested yet; `epochUnits` are the units of everybody. */
export type AccruingEpoch = Awaited<ReturnType<EpochRoundStore['accruing']>>[number]

/** Most rounds of an epoch, the last ones, of which the median time to finality is taken. */
const timedMax = sql.raw('10000')

/** The sums over the rounds of each epoch of a project. */
export class EpochRoundStore extends Store {
  /** Null for an epoch without rounds. `primaries` are the members that were asked first; `answered` of them gave a valid vote. */
  async counts(projectId: string, epoch: number) {
    const { rounds: all, finalized, fallback, primaries, answered } = epochRounds
    const [row] = await this.db
      .select({
        rounds: all,
        finalized,
        fallback,
        primaries,
        answered,
        medianFinalityMs: sql<number | null>`(SELECT iif(count(*) = 0, (${medianOf(projectId, epoch)}),
          max(${archives.medianFinalityMs})) FROM ${archives} WHERE ${isEpoch(archives, projectId, epoch)})`,
      })
      .from(epochRounds)
      .where(isEpoch(epochRounds, projectId, epoch))
    return row ?? null
  }

  /** Rounds of each payout address, until the epoch is counted. */
  async roundsOf(projectId: string, epoch: number): Promise<Map<string, number>> {
    const { miner, rounds: credited } = epochCredits
    const rows = await this.db
      .select(fromTemplate({ miner, rounds: credited }))
      .from(sql`${epochCredits} INDEXED BY epoch_credits_of_epoch`)
      .where(isEpoch(epochCredits, projectId, epoch))
    return new Map(rows.map((row) => [row.miner, row.rounds]))
  }

  /** Epochs that a wallet is credited in and that nobody has attested; those that end last come first. */
  async accruing(miner: Wallet, projectId?: string) {
    const { projectId: id, epoch, endsAt, units } = epochCredits
    return this.db
      .select({
        ...{ miner: epochCredits.miner, projectId: id, epoch, endsAt, units, terms: epochRounds.terms },
        // Named apart: both tables have such a column.
        epochUnits: sql<number>`${epochRounds.units}`.as('epoch_units'),
      })
      .from(epochCredits)
      .crossJoin(epochRounds)
      .where(
        and(
          eq(epochCredits.miner, miner),
          projectId === undefined ? undefined : eq(id, projectId),
          isSameEpoch(epochRounds, epochCredits),
          sql`NOT EXISTS (SELECT 1 FROM ${epochReceipts} WHERE ${isSameEpoch(epochReceipts, epochCredits)})`,
        ),
      )
      .orderBy(desc(endsAt), desc(id), desc(epoch))
  }
}

/** The median time to finality, in a statement that has the row of the epoch. */
export function medianOf(projectId: string, epoch: number): SQL {
  const newest = sql`SELECT ${rounds.finalityMs} AS ms FROM ${rounds} INDEXED BY rounds_final_of_project
    WHERE ${rounds.projectId} = ${projectId} AND ${rounds.state} = 'finalized' AND ${rounds.issuedAt} < ${epochRounds.endsAt}
      AND ${rounds.issuedAt} >= ${epochRounds.endsAt} - (${epochRounds.terms}->>'epoch_secs') ORDER BY ${rounds.issuedAt} DESC LIMIT ${timedMax}`
  return sql`SELECT ms FROM (${newest}) ORDER BY ms LIMIT 1
    OFFSET (SELECT (min(${epochRounds.finalized}, ${timedMax}) - 1) / 2 FROM ${epochRounds}
      WHERE ${isEpoch(epochRounds, projectId, epoch)})`
}

/** Forgets what payout addresses were credited in an epoch that counts from now on. */
export const countedStatement = (projectId: string, epoch: number, condition: SQL) =>
  build.delete(epochCredits).where(and(isEpoch(epochCredits, projectId, epoch), condition))
