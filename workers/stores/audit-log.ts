import { and, desc, eq, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { auditLog } from './schema/index.ts'

export type AuditEntry = InferSelectModel<typeof auditLog>

export interface OperatorAction {
  operator: string
  /** Names the kind of subject and what was done to it: `node.approve`. */
  action: string
  subject: string
  reason: string | null
  after: Record<string, unknown>
}

/**
 * The statement that notes what an operator does. It goes into one batch with the change, before it, so that there is
 * neither a change without a note nor a note without a change.
 *
 * @param before - A query whose one column `value` is the state as JSON, and which has a row exactly when the change that
 * follows will happen.
 */
export const auditStatement = (
  { operator, action, subject, reason, after }: OperatorAction,
  now: number,
  before: SQL,
): SQL => sql`
  INSERT INTO ${auditLog} (operator, action, subject, reason, before, after, created_at)
  SELECT ${operator}, ${action}, ${subject}, ${reason}, value, ${JSON.stringify(after)}, ${now} FROM (${before})`

/** What operators did; written by the stores they did it to. */
export class AuditLogStore extends Store {
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
