import { and, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { archives, type LeaseRow, type RoundRow, rounds, subscriptions } from './schema/index.ts'

/** Archives of some epochs. @param epochs - JSON: pairs of a project and an epoch. */
export const archivesOf = (
  epochs: string | Placeholder,
): SQL => sql`json_each(${epochs}) AS one JOIN ${archives}
    ON ${archives.projectId} = one.value->>0 AND ${archives.epoch} = one.value->>1`

/** Rounds that are over. @param roundIds - JSON. */
export const isOverOf = (roundIds: string | Placeholder): SQL =>
  sql`${rounds.roundId} IN (SELECT value FROM json_each(${roundIds})) AND ${rounds.state} IN ('finalized', 'failed')`

/**
 * Guards everything that is written with {@link NewRounds}: holds while none of these rounds is over or in an archive, and no subscription of
 * a member was opened after its round.
 */
export const areNew = and(
  sql`NOT EXISTS (SELECT 1 FROM ${rounds} WHERE ${isOverOf(sql.placeholder('roundIds'))})`,
  sql`NOT EXISTS (SELECT 1 FROM ${archivesOf(sql.placeholder('epochs'))})`,
  sql`NOT EXISTS (SELECT 1 FROM json_each(${sql.placeholder('earliest')}) AS one
    JOIN ${subscriptions} ON ${subscriptions.subscriptionId} = one.value->>0
    WHERE ${subscriptions.createdAt} > one.value->>1)`,
) as SQL

/** The values of {@link areNew}, as JSON. A type, so that it is a record of values too. */
export type NewRounds = { roundIds: string; epochs: string; earliest: string }

interface Written {
  readonly round: Pick<RoundRow, 'roundId' | 'projectId' | 'epoch'>
}

interface Ended {
  readonly round: Pick<RoundRow, 'issuedAt'>
  readonly members: readonly Pick<LeaseRow, 'subscriptionId'>[]
}

/** @param since - Since when the subscriptions of members exist, where that is known: then it is not asked again. */
export function newRoundsOf(
  written: readonly Written[],
  ends: readonly Ended[],
  since: ReadonlyMap<string, number> | null,
): NewRounds {
  const epochs = new Set(written.map(({ round: { projectId, epoch } }) => JSON.stringify([projectId, epoch])))
  const earliest = new Map<string, number>()
  for (const { round, members } of since === null ? ends : [])
    for (const { subscriptionId } of members)
      earliest.set(subscriptionId, Math.min(earliest.get(subscriptionId) ?? Infinity, round.issuedAt))
  return {
    roundIds: JSON.stringify(written.map(({ round }) => round.roundId)),
    epochs: `[${[...epochs].join(',')}]`,
    earliest: JSON.stringify([...earliest]),
  }
}
