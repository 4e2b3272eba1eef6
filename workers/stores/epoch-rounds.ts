import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { EpochLengths } from './epoch-lengths.ts'
import {
  archives,
  epochCredits,
  epochReceipts,
  epochRounds,
  projectVersions,
  rounds,
} from './schema/index.ts'
import { build, fromTemplate, isEpoch, isSameEpoch } from './statements.ts'

/** The counts of an epoch's rounds. `primaries` are the members that were asked first; `answered` of them gave a valid vote. */
export type EpochRoundCounts = NonNullable<Awaited<ReturnType<EpochRoundStore['counts']>>>
/** How many rounds an epoch had, and how many of them without a committee. */
export interface RoundTotals {
  readonly epoch: number
  readonly rounds: number
  readonly fallbackRounds: number
}
/** Epochs of a project that had rounds, and the lengths that its epochs had. */
export interface KnownEpochs {
  readonly totals: readonly RoundTotals[]
  readonly lengths: EpochLengths
}
/** The credits of a wallet in an epoch that nobody has attested yet; `epochUnits` are the units of everybody. */
export type AccruingEpoch = Awaited<ReturnType<EpochRoundStore['accruing']>>[number]

/** Published versions, the last ones, of which the lengths of epochs are told. */
const lengthsMax = 20
/** Most rounds of an epoch, the last ones, of which the median time to finality is taken. */
const timedMax = sql.raw('10000')

/** The sums over the rounds of each epoch of a project. */
export class EpochRoundStore extends Store {
  /** Null for an epoch without rounds. */
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

  /** The last two epochs of a project that had rounds, or the one that is asked for. */
  async known(projectId: string, epoch?: number): Promise<KnownEpochs> {
    const wanted = and(
      eq(epochRounds.projectId, projectId),
      epoch === undefined ? undefined : eq(epochRounds.epoch, epoch),
    )
    const { version, effectiveAt, epochSecs, status } = projectVersions
    const ofProject = eq(projectVersions.projectId, projectId)
    const length = sql`json_object('version', ${version}, 'effectiveAt', ${effectiveAt}, 'epochSecs', ${epochSecs})`
    const [row] = await this.db.all<Record<keyof KnownEpochs, string>>(sql`SELECT
      (SELECT json_group_array(json_object('epoch', epoch, 'rounds', rounds, 'fallbackRounds', fallback)) FROM (
        SELECT * FROM ${epochRounds} WHERE ${wanted} ORDER BY ${epochRounds.endsAt} DESC LIMIT 2)) AS totals,
      (SELECT json_group_array(json(length)) FROM (
        SELECT ${length} AS length FROM ${projectVersions}
          WHERE ${ofProject} AND ${version} = 1 AND ${status} <> 'rejected'
        UNION ALL SELECT * FROM (SELECT ${length} FROM ${projectVersions}
          WHERE ${ofProject} AND ${effectiveAt} IS NOT NULL ORDER BY ${effectiveAt} DESC LIMIT ${lengthsMax}))) AS lengths`)
    return {
      totals: JSON.parse(row?.totals ?? '[]'),
      lengths: new EpochLengths(JSON.parse(row?.lengths ?? '[]')),
    }
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
