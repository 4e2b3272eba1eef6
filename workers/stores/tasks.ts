import { type InferSelectModel, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import type { RoundRow } from './rounds.ts'
import { rounds, tasks } from './schema/index.ts'

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
    const isRound = id.startsWith('task:')
    const roundId = isRound ? sql`${id}` : sql`(SELECT round_id FROM ${tasks} WHERE task_id = ${id})`
    const [[task], [round]] = await Promise.all([
      this.db
        .select()
        .from(tasks)
        .where(isRound ? sql`round_id = ${id}` : sql`task_id = ${id}`),
      this.db.select().from(rounds).where(sql`round_id = ${roundId}`),
    ])
    return task === undefined ? null : { task, round: round ?? null }
  }

  /** Notes tasks that wait for the set of their epoch. */
  async queue(queued: readonly Omit<TaskRow, 'roundId' | 'error'>[]): Promise<void> {
    await batch(this.db, [
      sql`INSERT INTO ${tasks} (task_id, project_id, function, gas_limit, input_hash, created_at)
        SELECT value->>'taskId', value->>'projectId', value->>'function', value->>'gasLimit', value->>'inputHash',
          value->>'createdAt'
        FROM json_each(${JSON.stringify(queued)}) WHERE true ON CONFLICT DO NOTHING`,
    ])
  }

  /** Ends tasks that waited in vain. */
  async fail(taskIds: readonly string[], error: NonNullable<TaskRow['error']>): Promise<void> {
    await batch(this.db, [
      sql`UPDATE ${tasks} SET error = ${error}
        WHERE task_id IN (SELECT value FROM json_each(${JSON.stringify(taskIds)})) AND round_id IS NULL`,
    ])
  }
}
