import { and, desc, eq, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { auditLog } from './schema/index.ts'
import { insertFrom } from './statements.ts'

export type AuditEntry = InferSelectModel<typeof auditLog>

/** The operator that decides, and the reason. */
export interface Decision {
  operator: string
  reason: string | null
}

export interface OperatorAction extends Decision {
  /** Names the kind of subject and what was done to it: `node.approve`. */
  action: string
  subject: string
  after: Record<string, unknown>
}

/**
 * The statement that notes what an operator does. It goes into one batch with the change, before it, so that there is neither a change
 * without a note nor a note without a change. @param before - A query whose one column `value` is the state as JSON, and which has a row
 * exactly when the change that follows will happen.
 */
export const auditStatement = (action: OperatorAction, now: number, before: SQL) =>
  insertFrom(auditLog, { ...action, before: sql`value`, createdAt: now }, sql`FROM (${before})`)

export class AuditLogStore extends Store {
  /** Notes what begins with this, and takes more than one batch. */
  async note(action: OperatorAction, now: number): Promise<void> {
    await batch(this.db, [auditStatement(action, now, sql`SELECT '{}' AS value`)])
  }

  /** Newest first; `limit` rows older than `after`. */
  async list(subject: string | undefined, after: number | undefined, limit: number): Promise<AuditEntry[]> {
    return this.db
      .select()
      .from(auditLog)
      .where(
        and(
          subject === undefined ? undefined : eq(auditLog.subject, subject),
          after === undefined ? undefined : lt(auditLog.entry, after),
        ),
      )
      .orderBy(desc(auditLog.entry))
      .limit(limit)
  }
}
