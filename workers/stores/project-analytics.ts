import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { readRows, Store } from './database.ts'
import { committeeSets, epochReceipts, epochRounds, projectEpochs, projectVersions } from './schema/index.ts'
import { isSameEpoch, prepared } from './statements.ts'

/** Rounds of the epochs that end on one UTC day. */
export interface AnalyticsDay {
  /** Counted from 1970. */
  day: number
  rounds: number
  finalized: number
  fallback: number
  contested: number
  units: number
  primaries: number
  answered: number
  leaseSecs: number
  finalityMs: number
  /** Rounds whose time to finality is in the sum. */
  timed: number
  /** Most recipients of one of the epochs. */
  miners: number
}

/** Sums up to a settled epoch. */
export interface SettledTotals {
  seq: number
  paid: string
  slashes: number
  miners: number
  medianFinalityMs: number | null
}

export interface Analytics {
  days: readonly AnalyticsDay[]
  /** The last settled epoch, and the last one before the period. */
  last: SettledTotals | null
  before: SettledTotals | null
  /** Members of the newest committee set. */
  eligible: number
}

/**
 * One statement, because figures of one answer are of one moment. Its placeholders: `project`, the time as `now`, and the begin of the period
 * as `since`.
 */
export function analyticsStatement(): SQL {
  const [project, now, since] = [sql.placeholder('project'), sql.placeholder('now'), sql.placeholder('since')]
  const [r, e] = [alias(epochRounds, 'r'), alias(epochReceipts, 'e')]
  const { projectId, seq, settledAt, totalPaid, totalSlashes, miners, medianFinalityMs } = projectEpochs
  const totals = sql`SELECT json_object('seq', ${seq}, 'paid', ${totalPaid}, 'slashes', ${totalSlashes}, 'miners', ${miners},
    'medianFinalityMs', ${medianFinalityMs}) FROM ${projectEpochs} WHERE ${projectId} = ${project}`
  return sql`SELECT
    (SELECT json_group_array(json(value)) FROM (
      SELECT json_object('day', day, 'rounds', sum(rounds), 'finalized', sum(finalized), 'fallback', sum(fallback),
        'contested', sum(contested), 'units', sum(units), 'primaries', sum(primaries), 'answered', sum(answered),
        'leaseSecs', sum(lease_secs), 'finalityMs', sum(finality_ms), 'timed', sum(iif(finality_ms > 0, finalized, 0)),
        'miners', coalesce(max(recipients), 0)) AS value
      FROM (SELECT (${r.endsAt} - 1) / 86400 AS day, r.*, ${e.recipients}
        FROM ${epochRounds} AS r INDEXED BY epoch_rounds_of_project_by_end
        LEFT JOIN ${epochReceipts} AS e ON ${isSameEpoch(e, r)}
        WHERE ${r.projectId} = ${project} AND ${r.endsAt} > ${since})
      GROUP BY day ORDER BY day)) AS days,
    (${totals} ORDER BY ${seq} DESC LIMIT 1) AS last,
    (${totals} AND ${settledAt} <= ${since} ORDER BY ${settledAt} DESC, ${seq} DESC LIMIT 1) AS before,
    (SELECT ${committeeSets.entries} FROM ${committeeSets} WHERE ${committeeSets.projectId} = ${project} AND ${committeeSets.epoch} <= (
      SELECT ${now} / ${projectVersions.epochSecs} FROM ${projectVersions}
      WHERE ${projectVersions.projectId} = ${project} AND ${projectVersions.status} = 'active')
      ORDER BY ${committeeSets.epoch} DESC LIMIT 1) AS eligible`
}

const readFigures = prepared(analyticsStatement)

export type AnalyticsRow = Record<'days' | 'last' | 'before', string | null> & { eligible: number | null }

/** The figures that developers see of their projects. */
export class ProjectAnalyticsStore extends Store {
  /** Figures of epochs that end after `since` by day, and the settled sums now and at `since`. @param now - Unix seconds. */
  async read(projectId: string, since: number, now: number): Promise<Analytics> {
    const [row] = await readRows<AnalyticsRow>(this.db, readFigures({ project: projectId, now, since }))
    return readAnalytics(row)
  }
}

export function readAnalytics(row: AnalyticsRow | undefined): Analytics {
  const read = <T>(text: string | null | undefined): T => JSON.parse(text ?? 'null') as T
  return {
    days: read(row?.days) ?? [],
    last: read(row?.last),
    before: read(row?.before),
    eligible: row?.eligible ?? 0,
  }
}
