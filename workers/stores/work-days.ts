import { type SQL, sql } from 'drizzle-orm'
import { basisPointsMax } from '../../protocol/encoding/index.ts'
import { subscriptions, type WorkDays } from './schema/index.ts'

export const workDaySecs = 86_400

/** The running day, and the 30 before it. */
const daysKept = sql.raw('31')

/** Work of some days. */
export interface Work {
  units: number
  answered: number
  asked: number
}

/** Adds days up. @param sinceDay - The first day that counts, by its number since 1970. */
export function workSince(all: readonly WorkDays[], sinceDay: number): Work {
  const sum = { units: 0, answered: 0, asked: 0 }
  for (const days of all)
    for (const [day, [units, answered, asked]] of Object.entries(days))
      if (Number(day) >= sinceDay) {
        sum.units += units
        sum.answered += answered
        sum.asked += asked
      }
  return sum
}

/** The share of leases that were answered; undefined if none was asked. */
export const uptimeBp = ({ answered, asked }: Omit<Work, 'units'>): number | undefined =>
  asked === 0 ? undefined : Math.floor((answered * basisPointsMax) / asked)

/** The days of a subscription with others added, the oldest left out. @param more - JSON: lists of day, units, answered and asked leases. */
export const daysWith = (more: SQL): SQL => sql`(
  SELECT json_group_object(day, json_array(units, answered, asked)) FROM (
    SELECT day, sum(units) AS units, sum(answered) AS answered, sum(asked) AS asked, max(day) OVER () AS newest FROM (
      SELECT CAST(key AS INTEGER) AS day, value->>0 AS units, value->>1 AS answered, value->>2 AS asked
      FROM json_each(${subscriptions.days})
      UNION ALL
      SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${more}))
    GROUP BY day) WHERE day > newest - ${daysKept})`
