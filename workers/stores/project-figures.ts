import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { batch, isChanged, readRows, Store } from './database.ts'
import { countedStatement } from './epoch-rounds.ts'
import { jsonParts } from './json-parts.ts'
import { earningsKey } from './project-row.ts'
import { RowReader } from './rows.ts'
import { projectEpochs, projectMiners, projects, slashes } from './schema/index.ts'

export type ProjectEpoch = typeof projectEpochs.$inferSelect
export type ProjectMiner = typeof projectMiners.$inferSelect

/** What one epoch of a project came to. */
export interface SettledEpoch {
  projectId: string
  epoch: number
  epochSecs: number
  settledAt: number
  rounds: number
  roundsFinalized: number
  roundsFallback: number
  medianFinalityMs: number | null
  uptimeBp: number | null
  /** Of every miner that was credited. */
  credits: readonly { miner: string; rounds: number; units: number; amount: string }[]
}

/** The last epoch, and the last one before a period. */
export interface EpochBounds {
  last: ProjectEpoch | null
  before: ProjectEpoch | null
}

export interface MinerPosition {
  units: number
  miner: string
}

const day = 86_400
/** Days that averages look back. */
const averagedDays = 7
const attemptsMax = 5

/** What projects did, by their settled epochs. */
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
      this.#executedSlashes(projectId),
      this.lastEpoch(projectId),
      this.lastEpoch(projectId, settled.settledAt - averagedDays * day),
      this.lastEpoch(projectId, settled.settledAt - day),
      this.#miners(
        projectId,
        settled.credits.map(({ miner }) => miner),
      ),
    ])
    const row = epochRow(settled, last, executed)
    const isNext = sql`NOT EXISTS (SELECT 1 FROM ${projectEpochs} WHERE project_id = ${projectId}
        AND (seq > ${row.seq - 1} OR (starts_at = ${startsAt} AND epoch = ${epoch})))`
    const isMine = sql`EXISTS (SELECT 1 FROM ${projectEpochs} WHERE project_id = ${projectId}
        AND seq = ${row.seq} AND starts_at = ${startsAt} AND epoch = ${epoch})`
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
    const counted = jsonParts(credits).map(
      (part) => sql`
          INSERT INTO ${projectMiners} (project_id, miner, rounds, units, earned, first_credited_at, last_credited_at)
          SELECT ${projectId}, value->>'miner', value->>'rounds', value->>'units', value->>'earned',
            ${settled.settledAt}, ${settled.settledAt}
          FROM json_each(${part}) WHERE ${isNext}
          ON CONFLICT (project_id, miner) DO UPDATE SET rounds = excluded.rounds, units = excluded.units,
            earned = excluded.earned, last_credited_at = excluded.last_credited_at`,
    )
    const results = await batch(this.db, [
      ...counted,
      sql`
        INSERT INTO ${projectEpochs} (project_id, seq, epoch, starts_at, epoch_secs, settled_at, rounds,
          rounds_finalized, rounds_fallback, units, miners, paid, median_finality_ms, uptime_bp, slashes,
          total_rounds, total_finalized, total_fallback, total_units, total_paid, total_slashes)
        SELECT ${projectId}, ${row.seq}, ${epoch}, ${startsAt}, ${epochSecs}, ${row.settledAt}, ${row.rounds},
          ${row.roundsFinalized}, ${row.roundsFallback}, ${row.units}, ${row.miners}, ${row.paid},
          ${row.medianFinalityMs}, ${row.uptimeBp}, ${row.slashes}, ${row.totalRounds}, ${row.totalFinalized},
          ${row.totalFallback}, ${row.totalUnits}, ${row.totalPaid}, ${row.totalSlashes}
        WHERE ${isNext}`,
      sql`
        UPDATE ${projects} SET avg_daily_reward = ${figures.avgDailyReward},
          earnings_key = ${earningsKey(figures.avgDailyReward)}, trending_score = ${figures.trendingScore},
          last_settled_at = ${row.settledAt}
        WHERE project_id = ${projectId} AND ${isMine}`,
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
    const found = await readRows<Record<string, unknown>>(this.db, boundsText, [projectId, before ?? -1])
    const rows = found.map((row) => epochRows.read(row))
    const [last = null, second = null] = rows
    const single = last !== null && before !== null && last.settledAt <= before
    return { last, before: single ? last : second }
  }

  /** Most units first; `limit` rows after `after`. */
  async miners(projectId: string, after: MinerPosition | undefined, limit: number): Promise<ProjectMiner[]> {
    return this.db
      .select()
      .from(projectMiners)
      .where(
        and(
          eq(projectMiners.projectId, projectId),
          after && sql`(${projectMiners.units}, ${projectMiners.miner}) < (${after.units}, ${after.miner})`,
        ),
      )
      .orderBy(desc(projectMiners.units), desc(projectMiners.miner))
      .limit(limit)
  }

  /** Projects that settled nothing for two days are no longer trending. */
  async cool(now: number): Promise<void> {
    await this.db
      .update(projects)
      .set({ trendingScore: 0 })
      .where(sql`trending_score > 0 AND last_settled_at < ${now - 2 * day}`)
  }

  async #miners(projectId: string, miners: readonly string[]): Promise<Map<string, ProjectMiner>> {
    const rows = await this.db
      .select()
      .from(projectMiners)
      .where(
        and(
          eq(projectMiners.projectId, projectId),
          sql`${projectMiners.miner} IN (SELECT value FROM json_each(${JSON.stringify(miners)}))`,
        ),
      )
    return new Map(rows.map((row) => [row.miner, row]))
  }

  async #executedSlashes(projectId: string): Promise<number> {
    const [row] = await this.db.all<{ executed: number }>(
      sql`SELECT count(*) AS executed FROM ${slashes} WHERE project_id = ${projectId} AND status = 'executed'`,
    )
    return row?.executed ?? 0
  }

  async #isKnown(projectId: string, startsAt: number, epoch: number): Promise<boolean> {
    const rows = await this.db
      .select({ seq: projectEpochs.seq })
      .from(projectEpochs)
      .where(sql`project_id = ${projectId} AND starts_at = ${startsAt} AND epoch = ${epoch}`)
    return rows.length > 0
  }
}

const epochRows = new RowReader(projectEpochs)

/** Read with every record of a project, so its text is made once. */
const boundsText = `
  SELECT ${epochRows.select('e')} FROM project_epochs AS e WHERE e.project_id = ?1 AND e.seq IN (
    (SELECT l.seq FROM project_epochs AS l WHERE l.project_id = ?1 ORDER BY l.seq DESC LIMIT 1),
    (SELECT b.seq FROM project_epochs AS b WHERE b.project_id = ?1 AND b.settled_at <= ?2
      ORDER BY b.settled_at DESC, b.seq DESC LIMIT 1))
  ORDER BY e.seq DESC`

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
 * What lists show and sort by. The average looks back a week; a project is trending by its rounds of the last day, as a
 * percentage of those of an average day of the week.
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
