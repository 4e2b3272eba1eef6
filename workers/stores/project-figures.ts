import { and, desc, eq, lt, lte, sql } from 'drizzle-orm'
import { batch, isChanged, readRows, Store } from './database.ts'
import { countedStatement } from './epoch-rounds.ts'
import { earningsKey } from './project-row.ts'
import { RowReader } from './rows.ts'
import { projectEpochs, projectMiners, projects, slashes } from './schema/index.ts'
import { insertFrom, isOneOf, jsonParts, listed, prepared, replaced } from './statements.ts'

export type ProjectEpoch = typeof projectEpochs.$inferSelect
export type ProjectMiner = typeof projectMiners.$inferSelect

export interface SettledEpoch
  extends Omit<
    ProjectEpoch,
    'seq' | 'startsAt' | 'units' | 'miners' | 'paid' | 'slashes' | `total${string}`
  > {
  /** Of every miner that was credited. */
  credits: readonly { miner: string; rounds: number; units: number; amount: string }[]
}

export type EpochBounds = Record<'last' | 'before', ProjectEpoch | null>

const day = 86_400
/** Days that averages look back. */
const averagedDays = 7
const attemptsMax = 5

export class ProjectFiguresStore extends Store {
  /**
   * Adds a settled epoch to everything that follows from it, once. The sums are built on the row before, which the
   * statements name: another epoch that came between makes them change nothing, and they are built again.
   */
  async record(settled: SettledEpoch): Promise<'recorded' | 'known'> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const outcome = await this.#tryRecord(settled)
      if (outcome !== 'moved') return outcome
    }
    throw new Error(`epoch ${settled.epoch} of ${settled.projectId} was overtaken ${attemptsMax} times`)
  }

  async #tryRecord(settled: SettledEpoch): Promise<'recorded' | 'known' | 'moved'> {
    const { projectId, epoch, epochSecs } = settled
    const startsAt = epoch * epochSecs
    const [executed, last, weekAgo, dayAgo, known] = await Promise.all([
      this.db.$count(slashes, and(eq(slashes.projectId, projectId), eq(slashes.status, 'executed'))),
      this.lastEpoch(projectId),
      this.lastEpoch(projectId, settled.settledAt - averagedDays * day),
      this.lastEpoch(projectId, settled.settledAt - day),
      this.#miners(
        projectId,
        settled.credits.map(({ miner }) => miner),
      ),
    ])
    const row = epochRow(settled, last, executed)
    const ofProject = eq(projectEpochs.projectId, projectId)
    const same = and(eq(projectEpochs.startsAt, startsAt), eq(projectEpochs.epoch, epoch))
    const isNext = sql`NOT EXISTS (SELECT 1 FROM ${projectEpochs} WHERE ${ofProject}
      AND (${projectEpochs.seq} > ${row.seq - 1} OR (${same})))`
    const isMine = sql`EXISTS (SELECT 1 FROM ${projectEpochs} WHERE ${ofProject}
      AND ${projectEpochs.seq} = ${row.seq} AND ${same})`
    const credits = settled.credits.map(({ miner, rounds, units, amount }) => {
      const before = known.get(miner)
      return {
        miner,
        rounds: rounds + (before?.rounds ?? 0),
        units: units + (before?.units ?? 0),
        earned: String(BigInt(amount) + BigInt(before?.earned ?? '0')),
      }
    })
    const figures = projectFigures(row, { weekAgo, dayAgo })
    const creditedAt = { firstCreditedAt: settled.settledAt, lastCreditedAt: settled.settledAt }
    const counted = jsonParts(credits).map((part) =>
      insertFrom(
        projectMiners,
        { ...listed(projectMiners, ['miner', 'rounds', 'units', 'earned']), ...creditedAt, projectId },
        sql`FROM json_each(${part}) WHERE ${isNext}`,
      ).onConflictDoUpdate({
        target: [projectMiners.projectId, projectMiners.miner],
        set: replaced(projectMiners, ['rounds', 'units', 'earned', 'lastCreditedAt']),
      }),
    )
    const results = await batch(this.db, [
      ...counted,
      insertFrom(projectEpochs, row, sql`WHERE ${isNext}`),
      this.db
        .update(projects)
        .set({ ...figures, earningsKey: earningsKey(figures.avgDailyReward), lastSettledAt: row.settledAt })
        .where(and(eq(projects.projectId, projectId), isMine)),
      countedStatement(projectId, epoch, isMine),
    ])
    if (isChanged(results[counted.length])) return 'recorded'
    return (await this.#isKnown(projectId, startsAt, epoch)) ? 'known' : 'moved'
  }

  /** The last epoch that was settled by then; the very last one without a time. */
  async lastEpoch(projectId: string, settledBy?: number): Promise<ProjectEpoch | null> {
    const rows = await this.db
      .select()
      .from(projectEpochs)
      .where(
        and(
          eq(projectEpochs.projectId, projectId),
          settledBy === undefined ? undefined : lte(projectEpochs.settledAt, settledBy),
        ),
      )
      .orderBy(desc(projectEpochs.settledAt), desc(projectEpochs.seq))
      .limit(1)
    return rows[0] ?? null
  }

  /** The last epoch, and the last one that was settled by `before`, in one statement. */
  async bounds(projectId: string, before: number | null): Promise<EpochBounds> {
    const found = await readRows<Record<string, unknown>>(
      this.db,
      readBounds({ projectId, before: before ?? -1 }),
    )
    const rows = found.map((row) => epochRows.read(row))
    const [last = null, second = null] = rows
    const single = last !== null && before !== null && last.settledAt <= before
    return { last, before: single ? last : second }
  }

  /** Projects that settled nothing for two days are no longer trending. */
  async cool(now: number): Promise<void> {
    await this.db
      .update(projects)
      .set({ trendingScore: 0 })
      // The first as the index has it, word for word.
      .where(and(sql`${projects.trendingScore} > 0`, lt(projects.lastSettledAt, now - 2 * day)))
  }

  async #miners(projectId: string, miners: readonly string[]): Promise<Map<string, ProjectMiner>> {
    const rows = await this.db
      .select()
      .from(projectMiners)
      .where(and(eq(projectMiners.projectId, projectId), isOneOf(projectMiners.miner, miners)))
    return new Map(rows.map((row) => [row.miner, row]))
  }

  async #isKnown(projectId: string, startsAt: number, epoch: number): Promise<boolean> {
    const { projectId: id, startsAt: begins, epoch: number } = projectEpochs
    return (
      (await this.db.$count(projectEpochs, and(eq(id, projectId), eq(begins, startsAt), eq(number, epoch)))) >
      0
    )
  }
}

const epochRows = new RowReader(projectEpochs)

/** Read with every record of a project, so its text is made once. */
const readBounds = prepared(() => {
  const { projectId, seq, settledAt } = projectEpochs
  const isOfProject = sql`${projectId} = ${sql.placeholder('projectId')}`
  return sql`
    SELECT ${sql.raw(epochRows.select('e'))} FROM ${projectEpochs} AS e WHERE e.project_id = ${sql.placeholder('projectId')} AND e.seq IN (
      (SELECT ${seq} FROM ${projectEpochs} WHERE ${isOfProject} ORDER BY ${seq} DESC LIMIT 1),
      (SELECT ${seq} FROM ${projectEpochs} WHERE ${isOfProject} AND ${settledAt} <= ${sql.placeholder('before')}
        ORDER BY ${settledAt} DESC, ${seq} DESC LIMIT 1))
    ORDER BY e.seq DESC`
})

/** @param executed - Slashes of the project that were executed so far. */
function epochRow(settled: SettledEpoch, last: ProjectEpoch | null, executed: number): ProjectEpoch {
  const { credits, ...figures } = settled
  const slashesBefore = last?.totalSlashes ?? 0
  // A reorganisation may have taken one back that was counted.
  const totalSlashes = Math.max(executed, slashesBefore)
  const units = credits.reduce((sum, credit) => sum + credit.units, 0)
  const paid = credits.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return {
    ...figures,
    // Never before the last one, so that the order of times is the order of rows.
    settledAt: Math.max(settled.settledAt, last?.settledAt ?? 0),
    seq: (last?.seq ?? 0) + 1,
    startsAt: settled.epoch * settled.epochSecs,
    units,
    miners: credits.length,
    paid: String(paid),
    totalRounds: settled.rounds + (last?.totalRounds ?? 0),
    totalFinalized: settled.roundsFinalized + (last?.totalFinalized ?? 0),
    totalFallback: settled.roundsFallback + (last?.totalFallback ?? 0),
    totalUnits: units + (last?.totalUnits ?? 0),
    totalPaid: String(paid + BigInt(last?.totalPaid ?? '0')),
    slashes: totalSlashes - slashesBefore,
    totalSlashes,
  }
}

/**
 * The figures that lists show and sort by. The average covers the last week; the trending score is the number of rounds of
 * the last day, as a percentage of those of an average day of the week.
 */
function projectFigures(
  row: ProjectEpoch,
  { weekAgo, dayAgo }: { weekAgo: ProjectEpoch | null; dayAgo: ProjectEpoch | null },
): { avgDailyReward: string; trendingScore: number } {
  const paid = BigInt(row.totalPaid) - BigInt(weekAgo?.totalPaid ?? '0')
  const rounds = row.totalRounds - (weekAgo?.totalRounds ?? 0)
  const roundsToday = row.totalRounds - (dayAgo?.totalRounds ?? 0)
  return {
    avgDailyReward: row.miners === 0 ? '0' : String(paid / BigInt(averagedDays * row.miners)),
    trendingScore: rounds === 0 ? 0 : Math.floor((100 * averagedDays * roundsToday) / rounds),
  }
}
