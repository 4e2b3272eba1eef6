import { and, eq, type InferSelectModel, inArray, isNull, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import type { RoundRow } from './rounds.ts'
import { rounds, tasks } from './schema/index.ts'
import { insertFrom, isOneOf, listed } from './statements.ts'

export type TaskRow = InferSelectModel<typeof tasks>

/** A task with the round that decides it, once there is one. */
export interface TaskRecord {
  task: TaskRow
  round: RoundRow | null
}

/** What somebody asked a project to run. */
export class TaskStore extends Store {
  /** By the hub's own id, or by the round's. */
  async find(id: string): Promise<TaskRecord | null> {
    const isTask = eq(id.startsWith('task:') ? tasks.roundId : tasks.taskId, id)
    const roundId = this.db.select({ id: tasks.roundId }).from(tasks).where(isTask)
    const [[task], [round]] = await Promise.all([
      this.db.select().from(tasks).where(isTask),
      this.db
        .select()
        .from(rounds)
        .where(id.startsWith('task:') ? eq(rounds.roundId, id) : inArray(rounds.roundId, roundId)),
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

  /** Ends tasks that waited in vain. */
  async fail(taskIds: readonly string[], error: NonNullable<TaskRow['error']>): Promise<void> {
    await this.db
      .update(tasks)
      .set({ error })
      .where(and(isOneOf(tasks.taskId, taskIds), isNull(tasks.roundId)))
  }
}
