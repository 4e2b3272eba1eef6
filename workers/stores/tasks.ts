import { and, eq, type InferSelectModel, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { roundColumns } from './rounds.ts'
import { type RoundRow, rounds, tasks } from './schema/index.ts'
import { build, insertFrom, isOneOf, listed } from './statements.ts'

export type TaskRow = InferSelectModel<typeof tasks>
export type ScheduledTask = Pick<TaskRow, 'taskId' | 'roundId'>

/** Tasks that had to wait for their round: what others are is in their rounds. */
export class TaskStore extends Store {
  /** By the hub's own id, with its round where the database has it. */
  async find(taskId: string): Promise<{ task: TaskRow; round: RoundRow | null } | null> {
    const isTask = eq(tasks.taskId, taskId)
    const roundId = this.db.select({ id: tasks.roundId }).from(tasks).where(isTask)
    const [[task], [round]] = await Promise.all([
      this.db.select().from(tasks).where(isTask),
      this.db.select(roundColumns).from(rounds).where(inArray(rounds.roundId, roundId)),
    ])
    return task === undefined ? null : { task, round: round ?? null }
  }

  /** Notes tasks that wait for the set of their epoch. */
  async queue(queued: readonly Omit<TaskRow, 'roundId' | 'error'>[]): Promise<void> {
    const row = listed(tasks, ['taskId', 'projectId', 'function', 'gasLimit', 'inputHash', 'createdAt'])
    await this.db.run(
      insertFrom(tasks, row, sql`FROM json_each(${JSON.stringify(queued)}) WHERE true`).onConflictDoNothing(),
    )
  }

  /** Notes the rounds of tasks that waited. */
  async schedule(scheduled: readonly ScheduledTask[]): Promise<void> {
    await this.db.run(scheduledStatement(scheduled))
  }

  /** Ends tasks that waited in vain. */
  async fail(taskIds: readonly string[], error: NonNullable<TaskRow['error']>): Promise<void> {
    await this.db
      .update(tasks)
      .set({ error })
      .where(and(isOneOf(tasks.taskId, taskIds), isNull(tasks.roundId), isNull(tasks.error)))
  }
}

/** Gives tasks that waited their rounds, where they have none yet. */
export const scheduledStatement = (scheduled: readonly ScheduledTask[], condition?: SQL) =>
  build
    .update(tasks)
    .set({ roundId: sql`given.value->>'roundId'` })
    .from(sql`json_each(${JSON.stringify(scheduled)}) AS given`)
    .where(and(sql`${tasks.taskId} = given.value->>'taskId'`, isNull(tasks.roundId), condition))
