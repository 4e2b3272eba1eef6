import { readRows, Store } from './database.ts'

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

const totals = `SELECT json_object('seq', seq, 'paid', total_paid, 'slashes', total_slashes, 'miners', miners,
  'medianFinalityMs', median_finality_ms) FROM project_epochs WHERE project_id = ?1`

/** One statement, because figures of one answer are of one moment. `?1` is the project, `?2` the time, `?3` the begin of the period. */
export const analyticsText = `SELECT
  (SELECT json_group_array(json(value)) FROM (
    SELECT json_object('day', day, 'rounds', sum(rounds), 'finalized', sum(finalized), 'fallback', sum(fallback),
      'contested', sum(contested), 'units', sum(units), 'primaries', sum(primaries), 'answered', sum(answered),
      'leaseSecs', sum(lease_secs), 'finalityMs', sum(finality_ms), 'timed', sum(iif(finality_ms > 0, finalized, 0)),
      'miners', coalesce(max(recipients), 0)) AS value
    FROM (SELECT (r.ends_at - 1) / 86400 AS day, r.*, e.recipients
      FROM epoch_rounds AS r INDEXED BY epoch_rounds_of_project_by_end
      LEFT JOIN epoch_receipts AS e ON e.project_id = r.project_id AND e.epoch = r.epoch
      WHERE r.project_id = ?1 AND r.ends_at > ?3)
    GROUP BY day ORDER BY day)) AS days,
  (${totals} ORDER BY seq DESC LIMIT 1) AS last,
  (${totals} AND settled_at <= ?3 ORDER BY settled_at DESC, seq DESC LIMIT 1) AS before,
  (SELECT entries FROM committee_sets WHERE project_id = ?1 AND epoch <= (
    SELECT ?2 / epoch_secs FROM project_versions WHERE project_id = ?1 AND status = 'active')
    ORDER BY epoch DESC LIMIT 1) AS eligible`

export type AnalyticsRow = Record<'days' | 'last' | 'before', string | null> & { eligible: number | null }

/** The figures that developers see of their projects. */
export class ProjectAnalyticsStore extends Store {
  /** Figures of epochs that end after `since` by day, and the settled sums now and at `since`. @param now - Unix seconds. */
  async read(projectId: string, since: number, now: number): Promise<Analytics> {
    const [row] = await readRows<AnalyticsRow>(this.db, {
      text: analyticsText,
      params: [projectId, now, since],
    })
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
