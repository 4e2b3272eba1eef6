import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { EndedRounds } from '../../durable-objects/project/copy.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, Store } from './database.ts'
import {
  epochRounds,
  lastBackup,
  lastRestore,
  projects,
  rounds,
  tasks,
  transactions,
} from './schema/index.ts'
import { isOneOf } from './statements.ts'

/** Epochs of a project that a restored object hears of: tasks of earlier ones are long over. */
const epochsMax = 100

/** The reads and notes that backups of the objects need in the database. */
export class BackupStore extends Store {
  /** Notes that a backup is whole. */
  async noteMade(backup: string, decision: Decision, madeAt: number): Promise<void> {
    const action = { ...decision, action: 'backup.made', subject: backup, after: {} }
    await batch(this.db, [
      auditStatement(action, madeAt, sql`SELECT '{}' AS value`),
      this.db
        .insert(lastBackup)
        .values({ id: 1, madeAt })
        .onConflictDoUpdate({ target: lastBackup.id, set: { madeAt } }),
    ])
  }

  /** Notes that the objects of a hub that was made again from a backup go to work. */
  async noteResumed(decision: Decision, resumedAt: number): Promise<void> {
    const action = { ...decision, action: 'objects.resume', subject: 'objects', after: {} }
    await batch(this.db, [
      auditStatement(action, resumedAt, sql`SELECT '{}' AS value`),
      this.db
        .insert(lastRestore)
        .values({ id: 1, resumedAt })
        .onConflictDoUpdate({ target: lastRestore.id, set: { resumedAt } }),
    ])
  }

  /** When they last did; null for a hub that was never restored. */
  async lastResumed(): Promise<number | null> {
    const [row] = await this.db.select().from(lastRestore)
    return row?.resumedAt ?? null
  }

  async projectIdsAfter(projectId: string, limit: number): Promise<string[]> {
    const rows = await this.db
      .select({ id: projects.projectId })
      .from(projects)
      .where(gt(projects.projectId, projectId))
      .orderBy(asc(projects.projectId))
      .limit(limit)
    return rows.map(({ id }) => id)
  }

  /** How many rounds the last epochs of a project had. */
  async endedRounds(projectId: string): Promise<EndedRounds[]> {
    return this.db
      .select({ epoch: epochRounds.epoch, rounds: epochRounds.rounds })
      .from(epochRounds)
      .where(eq(epochRounds.projectId, projectId))
      .orderBy(desc(epochRounds.endsAt))
      .limit(epochsMax)
  }

  /** Which of some actions the database has no copy of, or an older one. */
  async outdated(actions: readonly { id: string; revision: number }[]): Promise<string[]> {
    const rows = await this.db.all<{ id: string }>(sql`
      SELECT given.value->>'id' AS id FROM json_each(${JSON.stringify(actions)}) AS given
      LEFT JOIN ${transactions} ON ${transactions.id} = given.value->>'id'
      WHERE ${transactions.revision} IS NULL OR ${transactions.revision} < given.value->>'revision'`)
    return rows.map(({ id }) => id)
  }

  /** Which of some tasks are noted. */
  async notedTasks(taskIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.db.select({ id: tasks.taskId }).from(tasks).where(isOneOf(tasks.taskId, taskIds))
    return new Set(rows.map(({ id }) => id))
  }

  /** The ids among `roundIds` whose rounds are over. */
  async endedOf(roundIds: readonly string[]): Promise<string[]> {
    const rows = await this.db
      .select({ id: rounds.roundId })
      .from(rounds)
      .where(and(isOneOf(rounds.roundId, roundIds), isOneOf(rounds.state, ['finalized', 'failed'])))
    return rows.map(({ id }) => id)
  }
}
