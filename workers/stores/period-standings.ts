import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { isClosed, isState } from './chain-facts.ts'
import { chainStates, subscriptions } from './schema/index.ts'
import { periodCounts, periodStandings } from './schema/standings.ts'
import { build } from './statements.ts'

/** Rows that are deleted at a time. */
const deletedMax = sql.raw('1000')

const columns = sql.raw('address, scope, period, devices, reputation, asked, answered, last_day')

/** A number of the database's own: bound ones are floats there. */
const integer = (value: number): SQL => sql.raw(String(Math.trunc(value)))

/**
 * Counts how the devices of a project did in each period, and all devices of their owners, unless it was counted in this UTC day: `days` of a
 * subscription has its work of the last 31.
 */
export function periodStandingStatements(projectId: string, now: number, guard: SQL): SQLWrapper[] {
  const { deviceBound, days, owner, nodeId, subscriptionId } = subscriptions
  const today = integer(now / 86_400)
  const isDue = sql`${guard} AND NOT EXISTS (
    SELECT 1 FROM ${periodCounts} WHERE ${periodCounts.projectId} = ${projectId} AND ${periodCounts.day} >= ${today})`
  const worked = (which: SQL) => sql`
    SELECT ${owner} AS owner, ${nodeId} AS node_id, ${subscriptions.reputation} AS reputation, w.value AS period,
      sum(d.value->>2) AS asked, sum(d.value->>1) AS answered, max(CAST(d.key AS INTEGER)) AS last_day
    FROM ${subscriptions} LEFT JOIN ${chainStates} ON ${isState('subscription', subscriptionId)},
      json_each('[1,7,30]') AS w, json_each(${days}) AS d
    WHERE ${which} AND ${deviceBound} AND NOT ${isClosed} AND CAST(d.key AS INTEGER) >= ${today} - w.value
    GROUP BY ${subscriptionId}, w.value HAVING sum(d.value->>2) > 0`
  const counted = (scope: string, which: SQL) => sql`INSERT INTO ${periodStandings} (${columns})
    SELECT owner, ${scope}, period, count(DISTINCT node_id), sum(reputation) / count(*), sum(asked), sum(answered), max(last_day)
    FROM (${worked(which)}) WHERE ${isDue} GROUP BY owner, period
    ON CONFLICT (address, scope, period) DO UPDATE SET (devices, reputation, asked, answered, last_day) =
      (excluded.devices, excluded.reputation, excluded.asked, excluded.answered, excluded.last_day)`
  const { scope, address } = periodStandings
  return [
    build.delete(periodStandings).where(sql`${scope} = ${projectId} AND ${isDue}`),
    counted(projectId, sql`${subscriptions.projectId} = ${projectId}`),
    counted(
      '',
      sql`${owner} IN (SELECT ${address} FROM ${periodStandings} WHERE ${scope} = ${projectId} AND ${isDue})`,
    ),
    sql`INSERT INTO ${periodCounts} (project_id, day) SELECT ${projectId}, ${today} WHERE ${guard}
      ON CONFLICT (project_id) DO UPDATE SET day = excluded.day WHERE excluded.day > ${periodCounts.day}`,
  ]
}

/** Deletes what has no work left in its period. @param today - By its number since 1970. */
export const forgottenStatement = (period: number, today: number): SQL => {
  const { address, scope, lastDay } = periodStandings
  const row = sql`${address}, ${scope}, ${periodStandings.period}`
  return sql`DELETE FROM ${periodStandings} WHERE (${row}) IN (
    SELECT ${row} FROM ${periodStandings} INDEXED BY period_standings_by_day
    WHERE ${periodStandings.period} = ${integer(period)} AND ${lastDay} < ${integer(today - period)} LIMIT ${deletedMax})`
}
