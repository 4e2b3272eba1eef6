import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { batch, type Database } from './database.ts'
import { followedStatement } from './event-log.ts'
import { archivesOf, areNew, isOverOf, type NewRounds, newRoundsOf } from './new-rounds.ts'
import { roundEffects } from './round-effects.ts'
import { roundEventStatements } from './round-events.ts'
import type { WrittenRound } from './rounds.ts'
import { archives, type LeaseKey, leases, rounds, subscriptions } from './schema/index.ts'
import {
  insertFrom,
  isOneOf,
  jsonParts,
  listed,
  membersOf,
  prepared,
  ReadyStatement,
  replaced,
} from './statements.ts'
import { scheduledStatement } from './tasks.ts'

/** The rank of a round's state, which can only change to one further right. */
const rankOf = (state: SQL): SQL =>
  sql`instr('pending fallback committee_agreed escalated finalized failed', ${state})`

/** Wakes the objects in which somebody waits for events. */
type Wake = (shards: readonly number[]) => Promise<void>

/**
 * Writes rounds in one batch, and what follows from the end of those that are over. Rounds that were over before are left out, so nothing
 * follows twice. @param given - As many as fit into one value of the database: once the rows are there, their guard no longer holds.
 * @param following - Further statements about them, guarded by {@link isRoundOpen}. @returns The rounds that this ended; null if another
 * writer was faster, and nothing was written.
 */
export async function writeRounds(
  db: Database,
  given: readonly WrittenRound[],
  following: readonly SQLWrapper[] = [],
  wake: Wake = async () => {},
): Promise<string[] | null> {
  // Nearly always all rounds are new, and no subscription of their members is younger than its round.
  const first = await write(db, given, { following, wake, memberSince: null })
  if (first !== null) return first
  const { over, memberSince } = await knownOf(db, given)
  const written = given.filter(({ round }) => !over.has(round.roundId))
  return written.length === 0 ? [] : write(db, written, { following, wake, memberSince })
}

interface Write {
  following: readonly SQLWrapper[]
  wake: Wake
  /** Since when the subscriptions of members exist; null to write nothing where one is younger than its round. */
  memberSince: ReadonlyMap<string, number> | null
}

async function write(
  db: Database,
  written: readonly WrittenRound[],
  { following, wake, memberSince }: Write,
): Promise<string[] | null> {
  const ends = written.flatMap(({ end }) => end ?? [])
  const newRounds = newRoundsOf(written, ends, memberSince)
  const [guard, followed] = await batch(db, [
    askNew(newRounds),
    followedStatement(),
    ...following,
    ...roundEffects(ends, memberSince, newRounds),
    ...roundEventStatements(written, newRounds),
    ...waitedStatements(written, newRounds),
    ...jsonParts(written.flatMap((one) => one.leases)).map((leases) => writeLeases({ ...newRounds, leases })),
    writeRows({ ...newRounds, rounds: JSON.stringify(written.map(rowOf)) }),
  ])
  const [row] = (guard?.results ?? []) as { holds: number }[]
  await wake(((followed?.results ?? []) as { shard: number }[]).map(({ shard }) => shard))
  return row?.holds === 1 ? ends.map(({ round }) => round.roundId) : null
}

const rowOf = ({ round, leases: own }: WrittenRound) => ({
  ...round,
  leaseKeys: own.map(({ owner, createdAt, position }): LeaseKey => [owner, createdAt, position]),
})

/** Which rounds are over, or in an archive, and since when the subscriptions of their members exist. */
async function knownOf(db: Database, given: readonly WrittenRound[]) {
  const { roundIds, epochs: ofEpochs } = newRoundsOf(given, [], null)
  const members = given.flatMap(({ end }) => end?.members.map(({ subscriptionId }) => subscriptionId) ?? [])
  const [over, archived, subscribed] = await batch(db, [
    sql`SELECT ${rounds.roundId} AS id FROM ${rounds} WHERE ${isOverOf(roundIds)}`,
    sql`SELECT ${archives.projectId} AS projectId, ${archives.epoch} FROM ${archivesOf(ofEpochs)}`,
    sql`SELECT ${subscriptions.subscriptionId} AS id, ${subscriptions.createdAt} AS since FROM ${subscriptions}
        WHERE ${isOneOf(subscriptions.subscriptionId, [...new Set(members)])}`,
  ])
  const epochs = (archived?.results ?? []) as { projectId: string; epoch: number }[]
  const isArchived = new Set(epochs.map(({ projectId, epoch }) => `${projectId}:${epoch}`))
  const since = (subscribed?.results ?? []) as { id: string; since: number }[]
  return {
    over: new Set([
      ...((over?.results ?? []) as { id: string }[]).map(({ id }) => id),
      ...given.flatMap(({ round }) =>
        isArchived.has(`${round.projectId}:${round.epoch}`) ? round.roundId : [],
      ),
    ]),
    memberSince: new Map(since.map((row) => [row.id, row.since])),
  }
}

/** Tasks that waited have their round, also where that could not be noted when it began. */
function waitedStatements(written: readonly WrittenRound[], newRounds: NewRounds): ReadyStatement[] {
  const waited = written.flatMap(({ round: { roundId, taskId, createdAt } }) =>
    createdAt === null || taskId === null ? [] : [{ taskId, roundId }],
  )
  return waited.length === 0 ? [] : [ReadyStatement.of(scheduledStatement(waited, areNew)).with(newRounds)]
}

const askNew = prepared(() => sql`SELECT ${areNew} AS holds`)

/** A row that is as it was is not written again. */
const writeLeases = prepared(() => {
  const { state, missedBecause, completedAt, proofStatus, rejectionReason } = leases
  const { receiptHash, submittedAt, units, voteProblem } = leases
  const moving = membersOf({
    ...{ state, missedBecause, completedAt, proofStatus, rejectionReason },
    ...{ receiptHash, submittedAt, units, voteProblem },
  })
  const moved = replaced(leases, moving)
  const differs = moving.map((member) => sql`${leases[member]} IS NOT ${moved[member]}`)
  return insertFrom(
    leases,
    listed(leases, membersOf(getTableColumns(leases))),
    sql`FROM json_each(${sql.placeholder('leases')}) WHERE ${areNew}`,
  ).onConflictDoUpdate({
    target: [leases.owner, leases.createdAt, leases.roundId, leases.position],
    set: moved,
    setWhere: sql.join(differs, sql` OR `),
  })
})

/** Writes rows of rounds. A row with an earlier state than the stored one is left out. */
const writeRows = prepared(() => {
  const { kind, projectId, consensusHash, epoch, seq, setHash, issuedAt, nonce, ...others } =
    getTableColumns(rounds)
  const { roundId, moduleAddress, function: _, input, inputHash, gasLimit, ...moving } = others
  const { taskId, createdAt, ...moved } = moving
  return insertFrom(
    rounds,
    listed(rounds, membersOf(getTableColumns(rounds))),
    sql`FROM json_each(${sql.placeholder('rounds')}) WHERE ${areNew}`,
  ).onConflictDoUpdate({
    target: rounds.roundId,
    set: replaced(rounds, membersOf(moved)),
    setWhere: sql`${rankOf(sql`${rounds.state}`)} <= ${rankOf(sql`excluded.state`)}`,
  })
})
