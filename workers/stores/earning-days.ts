import { type SQL, sql } from 'drizzle-orm'
import { amountParts } from './amount-sums.ts'
import { earningDays, type Token } from './schema/index.ts'
import { added, insertFrom, listed } from './statements.ts'

/** Written out, because a bound number is a float to the database. */
export const daySecs = sql.raw('86400')

const partMembers = ['part0', 'part1', 'part2', 'part3', 'part4', 'part5'] as const

export const partColumns = partMembers.map((member) => sql`${sql.identifier(earningDays[member].name)}`)

/** The UTC day of an epoch is that in which it ended; one that ended at midnight is of the day before. */
export const dayOf = (endsAt: SQL): SQL => sql`(${endsAt} - 1) / ${daySecs}`

/** Adds shares to the sums of their day. @param shares - A JSON list with the members `miner`, `units` and `amount`. */
export const earnedStatement = (
  shares: string,
  { projectId, token, endsAt }: { projectId: string; token: Token; endsAt: number },
  condition: SQL,
) => {
  const parts = amountParts(sql`(value->>'amount')`).map((part, i) => [partMembers[i], part])
  const row = {
    ...listed(earningDays, ['miner', 'units']),
    ...(Object.fromEntries(parts) as Record<(typeof partMembers)[number], SQL>),
    day: dayOf(sql`CAST(${endsAt} AS INTEGER)`),
  }
  return insertFrom(
    earningDays,
    { ...row, projectId, token },
    sql`FROM json_each(${shares}) WHERE ${condition}`,
  ).onConflictDoUpdate({
    target: [earningDays.miner, earningDays.day, earningDays.projectId, earningDays.token],
    set: added(earningDays, ['units', ...partMembers]),
  })
}
