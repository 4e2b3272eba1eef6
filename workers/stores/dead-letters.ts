import { and, asc, desc, eq, gt, type InferSelectModel, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, isChanged, Store } from './database.ts'
import { hubActionsQueue } from './hub-actions.ts'
import { deadLetters, hubActions } from './schema/index.ts'

export type DeadLetter = InferSelectModel<typeof deadLetters>

/** Queue messages that failed every attempt, and actions of the hub's own that fail again and again. */
export class DeadLetterStore extends Store {
  /** A letter that is delivered twice is kept once. */
  async keep(letter: Omit<DeadLetter, 'resolvedAt' | 'resolution'>): Promise<void> {
    await this.db.insert(deadLetters).values(letter).onConflictDoNothing()
  }

  async find(messageId: string): Promise<DeadLetter | null> {
    const rows = await this.db.select().from(deadLetters).where(eq(deadLetters.messageId, messageId))
    return rows[0] ?? null
  }

  /** The letters that nobody has resolved, newest first; `limit` rows after `after`. */
  async unresolved(
    after: Pick<DeadLetter, 'diedAt' | 'messageId'> | undefined,
    limit: number,
  ): Promise<DeadLetter[]> {
    return this.db
      .select()
      .from(deadLetters)
      .where(
        and(
          isNull(deadLetters.resolvedAt),
          after &&
            and(
              lte(deadLetters.diedAt, after.diedAt),
              or(lt(deadLetters.diedAt, after.diedAt), gt(deadLetters.messageId, after.messageId)),
            ),
        ),
      )
      .orderBy(desc(deadLetters.diedAt), asc(deadLetters.messageId))
      .limit(limit)
  }

  async isEmpty(): Promise<boolean> {
    return (await this.unresolved(undefined, 1)).length === 0
  }

  /**
   * Notes that an operator has seen to it; of two at once, one does. An action of the hub's own that is closed is given up,
   * one that is resent is due at once. A wish that took the place of the one the letter is about goes on as it was.
   */
  async resolve(
    messageId: string,
    resolution: 'resent' | 'closed',
    decision: Decision,
    now: number,
  ): Promise<boolean> {
    const action = resolution === 'resent' ? 'dead_letter.resend' : 'dead_letter.close'
    const { queue, attempts, diedAt, body } = deadLetters
    const open = and(eq(deadLetters.messageId, messageId), isNull(deadLetters.resolvedAt))
    const results = await batch(this.db, [
      auditStatement(
        { ...decision, action, subject: messageId, after: { resolution } },
        now,
        sql`SELECT json_object('queue', ${queue}, 'attempts', ${attempts}, 'died_at', ${diedAt}) AS value
          FROM ${deadLetters} WHERE ${open}`,
      ),
      this.db
        .update(hubActions)
        .set({
          nextAttemptAt: now,
          ...(resolution === 'closed' && { state: 'closed' }),
          // It does not rest after its reverts: who resends it may have mended the cause.
          ...(resolution === 'resent' && { wanted: sql`json_remove(${hubActions.wanted}, '$.reverts')` }),
        })
        .where(
          sql`${hubActions.state} = 'open' AND (${hubActions.kind}, ${hubActions.subject}, ${hubActions.revision}) IN (
            SELECT ${body}->>'kind', ${body}->>'subject', ${body}->>'revision' FROM ${deadLetters}
            WHERE ${open} AND ${queue} = ${hubActionsQueue})`,
        ),
      this.db.update(deadLetters).set({ resolvedAt: now, resolution }).where(open),
    ])
    return isChanged(results[2])
  }
}
