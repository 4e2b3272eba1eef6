import { and, asc, eq, type InferSelectModel, lte, type SQL, sql } from 'drizzle-orm'
import { batch, type Database, query, read } from './database.ts'
import { deadLetters, hubActions } from './schema.ts'

export type HubAction = InferSelectModel<typeof hubActions>
export type HubActionKind = HubAction['kind']

/** What the hub wants on the chain. */
export type Wish = Pick<HubAction, 'kind' | 'subject' | 'wanted'>

/** What dead letters about such actions name as their queue. */
export const hubActionsQueue = 'hub-actions'

/** Attempts in vain after which operators are told; it is tried on. */
const quietAttemptsMax = 8

/** Names the one dead letter about an action. */
export const letterIdOf = ({ kind, subject }: Pick<HubAction, 'kind' | 'subject'>): string =>
  `${kind}:${subject}`

/**
 * The statement that notes what the hub wants; it takes the place of an older wish about the same thing. It goes into one
 * batch with the decision it follows from.
 *
 * @param condition - A query that has a row exactly when the decision that follows happens.
 */
export const wantStatement = ({ kind, subject, wanted }: Wish, now: number, condition: SQL): SQL => sql`
  INSERT INTO ${hubActions} (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
  SELECT ${kind}, ${subject}, ${JSON.stringify(wanted)}, 1, 'open', 0, ${now}, ${now} WHERE EXISTS (${condition})
  ON CONFLICT (kind, subject) DO UPDATE SET wanted = excluded.wanted, revision = revision + 1, state = 'open',
    attempts = 0, next_attempt_at = excluded.next_attempt_at, last_error = NULL, wanted_at = excluded.wanted_at`

/** What the hub itself wants on the chain, until the chain has it. */
export class HubActionStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(kind: HubActionKind, subject: string): Promise<HubAction | null> {
    const rows = await read(() =>
      this.#db
        .select()
        .from(hubActions)
        .where(and(eq(hubActions.kind, kind), eq(hubActions.subject, subject))),
    )
    return rows[0] ?? null
  }

  /** What is to be looked at by now, longest due first. */
  async due(now: number, limit: number): Promise<HubAction[]> {
    return read(() =>
      this.#db
        .select()
        .from(hubActions)
        .where(and(sql`${hubActions.state} = 'open'`, lte(hubActions.nextAttemptAt, now)))
        .orderBy(asc(hubActions.nextAttemptAt))
        .limit(limit),
    )
  }

  /** Takes the next attempt for the caller; of two that want it, one gets it. */
  async claim(action: HubAction, nextAttemptAt: number): Promise<HubAction | null> {
    const [row] = await query(
      this.#db
        .update(hubActions)
        .set({ attempts: action.attempts + 1, nextAttemptAt })
        .where(and(this.#same(action), eq(hubActions.attempts, action.attempts)))
        .returning(),
    )
    return row ?? null
  }

  async postpone(action: HubAction, nextAttemptAt: number): Promise<void> {
    await query(this.#db.update(hubActions).set({ nextAttemptAt }).where(this.#same(action)))
  }

  /** Leaves it until something else has happened, or until then. That is no failure, and no letter is written about it. */
  async wait(action: HubAction, reason: string, nextAttemptAt: number): Promise<void> {
    await query(
      this.#db.update(hubActions).set({ nextAttemptAt, lastError: reason }).where(this.#same(action)),
    )
  }

  /** Notes what came of an attempt. When too many came to nothing, a dead letter says so. */
  async note(action: HubAction, lastError: string | null, now: number): Promise<void> {
    const { kind, subject, wanted, revision, attempts } = action
    const noted = sql`UPDATE ${hubActions} SET last_error = ${lastError} WHERE ${this.#same(action)}`
    const body = JSON.stringify({ kind, subject, revision, wanted, error: lastError })
    const isLoud = lastError !== null && attempts >= quietAttemptsMax
    await batch(this.#db, [
      noted,
      ...(isLoud
        ? [
            sql`
              INSERT INTO ${deadLetters} (message_id, queue, body, attempts, died_at)
              SELECT ${letterIdOf(action)}, ${hubActionsQueue}, ${body}, ${attempts}, ${now}
              WHERE EXISTS (SELECT 1 FROM ${hubActions} WHERE ${this.#same(action)})
              ON CONFLICT (message_id) DO UPDATE SET body = excluded.body, attempts = excluded.attempts,
                died_at = CASE WHEN resolved_at IS NULL THEN died_at ELSE excluded.died_at END,
                resolved_at = NULL, resolution = NULL`,
          ]
        : []),
    ])
  }

  /** The chain has it. What follows from that is wanted from then on. */
  async finish(action: HubAction, now: number, next: Wish | null = null): Promise<void> {
    await batch(this.#db, [
      ...(next === null
        ? []
        : [wantStatement(next, now, sql`SELECT 1 FROM ${hubActions} WHERE ${this.#same(action)}`)]),
      sql`
        UPDATE ${deadLetters} SET resolved_at = ${now}, resolution = 'done'
        WHERE message_id = ${letterIdOf(action)} AND resolved_at IS NULL
          AND EXISTS (SELECT 1 FROM ${hubActions} WHERE ${this.#same(action)})`,
      sql`UPDATE ${hubActions} SET state = 'done', last_error = NULL WHERE ${this.#same(action)}`,
    ])
  }

  /** The same wish, as long as it is not fulfilled, given up or replaced. */
  #same({ kind, subject, revision }: HubAction): SQL {
    return sql`kind = ${kind} AND subject = ${subject} AND revision = ${revision} AND state = 'open'`
  }
}
