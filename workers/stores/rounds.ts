import {
  eq,
  getTableColumns,
  type InferSelectModel,
  isNull,
  notInArray,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { batch, isChanged, Store } from './database.ts'
import { leases, rounds, tasks } from './schema/index.ts'
import { build, insertFrom, listed, membersOf, replaced } from './statements.ts'

export type RoundRow = InferSelectModel<typeof rounds>
export type LeaseRow = InferSelectModel<typeof leases>

export interface PublishedRound {
  /** The hub's own id of the task; null in a direct round. */
  taskId: string | null
  round: RoundRow
  /** Of everybody that was asked so far. */
  leases: readonly LeaseRow[]
}

/** Holds while a round is not over, in a statement that comes before the one that ends it. */
export const isRoundOpen = (roundId: string | SQL): SQL => sql`NOT EXISTS (SELECT 1 FROM ${rounds}
  WHERE ${rounds.roundId} = ${roundId} AND ${rounds.state} IN ('finalized', 'failed'))`

/** What is published of rounds: a row for each, and one for each member that was asked. */
export class RoundStore extends Store {
  async find(roundId: string): Promise<RoundRow | null> {
    return (await this.db.select().from(rounds).where(eq(rounds.roundId, roundId)).get()) ?? null
  }

  /** Those of some rounds that are not over, also where nothing is published of them yet. */
  async notOver(roundIds: readonly string[]): Promise<string[]> {
    const rows = await this.db.all<{ id: string }>(sql`
      SELECT given.value AS id FROM json_each(${JSON.stringify(roundIds)}) AS given
      WHERE ${isRoundOpen(sql`given.value`)}`)
    return rows.map(({ id }) => id)
  }

  async leases(roundId: string): Promise<LeaseRow[]> {
    return this.db.select().from(leases).where(eq(leases.roundId, roundId)).orderBy(leases.position)
  }

  /**
   * Writes a round as it stands, in one batch. The same again changes nothing, and nothing changes a round that is over. @param following - What
   * follows from the end of a round, each guarded by {@link isRoundOpen}, so that it happens once. @returns `over` where the round had ended before.
   */
  async publish(
    { taskId, round, leases: asked }: PublishedRound,
    following: readonly SQLWrapper[] = [],
  ): Promise<'written' | 'over'> {
    const results = await batch(this.db, [
      ...(taskId === null ? [] : [taskStatement(taskId, round)]),
      ...following,
      ...(asked.length === 0 ? [] : [leasesStatement(round.roundId, asked)]),
      roundStatement(round),
    ])
    return isChanged(results.at(-1)) ? 'written' : 'over'
  }
}

/** A task that was queued gets its round; of another one the row is made with it. */
const taskStatement = (taskId: string, round: RoundRow) => {
  const { roundId, function: name, gasLimit, inputHash, issuedAt } = round
  return build
    .insert(tasks)
    .values({
      ...{ taskId, roundId, function: name, gasLimit, inputHash, createdAt: issuedAt },
      // A task is of a project.
      projectId: round.projectId as string,
    })
    .onConflictDoUpdate({
      target: tasks.taskId,
      set: replaced(tasks, ['roundId']),
      setWhere: isNull(tasks.roundId),
    })
}

/** A row that is as it was is not written again. */
const leasesStatement = (roundId: string, asked: readonly LeaseRow[]) => {
  const { state, missedBecause, completedAt, proofStatus, rejectionReason } = leases
  const { receiptHash, submittedAt, units } = leases
  const moving = {
    state,
    missedBecause,
    completedAt,
    proofStatus,
    rejectionReason,
    receiptHash,
    submittedAt,
    units,
  }
  const moved = replaced(leases, membersOf(moving))
  const differs = membersOf(moving).map((member) => sql`${leases[member]} IS NOT ${moved[member]}`)
  return insertFrom(
    leases,
    listed(leases, membersOf(getTableColumns(leases))),
    sql`FROM json_each(${JSON.stringify(asked)}) WHERE ${isRoundOpen(roundId)}`,
  ).onConflictDoUpdate({
    target: [leases.roundId, leases.position],
    set: moved,
    setWhere: sql.join(differs, sql` OR `),
  })
}

const roundStatement = (round: RoundRow) => {
  const { kind, projectId, consensusHash, epoch, seq, setHash, issuedAt, nonce, ...others } =
    getTableColumns(rounds)
  const { roundId, moduleAddress, function: _, input, inputHash, gasLimit, ...moving } = others
  return build
    .insert(rounds)
    .values(round)
    .onConflictDoUpdate({
      target: rounds.roundId,
      set: replaced(rounds, membersOf(moving)),
      setWhere: notInArray(rounds.state, ['finalized', 'failed']),
    })
}
