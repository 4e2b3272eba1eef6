import { type SQL, sql } from 'drizzle-orm'
import { amountParts } from './amount-sums.ts'
import { earningDays } from './schema/index.ts'

/** Written out, because a bound number is a float to the database. */
export const daySecs = sql.raw('86400')

/** The columns with the parts of an amount. */
export const partColumns = Array.from({ length: 6 }, (_, part) => `part_${part}`)

/** The UTC day of an epoch is that in which it ended; one that ended at midnight is of the day before. */
export const dayOf = (endsAt: SQL): SQL => sql`(${endsAt} - 1) / ${daySecs}`

/**
 * Adds shares to the sums of their day.
 *
 * @param shares - A JSON list with the members `miner`, `units` and `amount`.
 */
export const earnedStatement = (
  shares: string,
  { projectId, token, endsAt }: { projectId: string; token: string; endsAt: number },
  condition: SQL,
): SQL => sql`
  INSERT INTO ${earningDays} (miner, day, project_id, token, units, ${sql.raw(partColumns.join(', '))})
  SELECT value->>'miner', ${dayOf(sql`CAST(${endsAt} AS INTEGER)`)}, ${projectId}, ${token}, value->>'units',
    ${sql.raw(amountParts("(value->>'amount')").join(', '))}
  FROM json_each(${shares}) WHERE ${condition}
  ON CONFLICT (miner, day, project_id, token) DO UPDATE SET units = units + excluded.units,
    ${sql.raw(partColumns.map((part) => `${part} = ${part} + excluded.${part}`).join(', '))}`
