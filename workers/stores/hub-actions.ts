import { and, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { deadLetters, hubActions } from './schema/index.ts'

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

const addressLength = 42
/** Actions of one share, and of all, in one round. */
const turnsMax = 5
const roundMax = 50

type DueRow = Record<'kind' | 'subject' | 'wanted' | 'state' | 'share', string> &
  Record<'revision' | 'attempts' | 'next_attempt_at' | 'wanted_at', number> & { last_error: string | null }

const actionOf = (row: DueRow): HubAction => ({
  kind: row.kind as HubActionKind,
  subject: row.subject,
  wanted: JSON.parse(row.wanted) as HubAction['wanted'],
  revision: row.revision,
  state: row.state as HubAction['state'],
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  lastError: row.last_error,
  wantedAt: row.wanted_at,
})

/** What the hub itself wants on the chain, until the chain has it. */
export class HubActionStore extends Store {
  async find(kind: HubActionKind, subject: string): Promise<HubAction | null> {
    const rows = await this.db
      .select()
      .from(hubActions)
      .where(and(eq(hubActions.kind, kind), eq(hubActions.subject, subject)))
    return rows[0] ?? null
  }

  /**
   * What is to be looked at by now, a round of it: a few actions of each share, those first that are due longest. A share is
   * what is about one vault, one project's slashes, or one wallet's claims.
   */
  async due(now: number): Promise<HubAction[][]> {
    const rows = await this.db.all<DueRow>(sql`
        SELECT * FROM (
          SELECT *, row_number() OVER (PARTITION BY share ORDER BY next_attempt_at, kind, subject) AS turn FROM (
            SELECT a.*, coalesce(
              (SELECT s.project_id FROM slashes AS s WHERE s.evidence_hash = a.subject),
              (SELECT w.account FROM withdrawals AS w WHERE w.withdrawal_id = a.subject),
              substr(a.subject, 1, ${addressLength})) AS share
            FROM ${hubActions} AS a WHERE a.state = 'open' AND a.next_attempt_at <= ${now}))
        WHERE turn <= ${turnsMax} ORDER BY turn, next_attempt_at LIMIT ${roundMax}`)
    const shares = new Map<string, HubAction[]>()
    for (const row of rows) shares.set(row.share, [...(shares.get(row.share) ?? []), actionOf(row)])
    return [...shares.values()]
  }

  /** Takes the next attempt for the caller; of two that want it, one gets it. */
  async claim(action: HubAction, nextAttemptAt: number): Promise<HubAction | null> {
    const [row] = await this.db
      .update(hubActions)
      .set({ attempts: action.attempts + 1, nextAttemptAt })
      .where(and(this.#same(action), eq(hubActions.attempts, action.attempts)))
      .returning()
    return row ?? null
  }

  async postpone(action: HubAction, nextAttemptAt: number): Promise<void> {
    await this.db.update(hubActions).set({ nextAttemptAt }).where(this.#same(action))
  }

  /** Leaves it until then. That is no failure, and no letter is written about it. */
  async wait(action: HubAction, reason: string, nextAttemptAt: number): Promise<void> {
    await this.db.update(hubActions).set({ nextAttemptAt, lastError: reason }).where(this.#same(action))
  }

  /**
   * Leaves it until an event of the chain makes it due, or until then. When the index has moved on since it was read, that
   * event may have come in between: then it is due again at once.
   *
   * @param tip - Hash of the newest indexed block when it was read.
   */
  async waitForEvent(
    action: HubAction,
    reason: string,
    { tip, now, until }: { tip: string | null; now: number; until: number },
  ): Promise<void> {
    await this.db.run(sql`UPDATE ${hubActions} SET last_error = ${reason}, next_attempt_at =
        CASE WHEN (SELECT block_hash FROM chain_cursor) IS ${tip} THEN ${until} ELSE ${now} END
        WHERE ${this.#same(action)}`)
  }

  /** Notes what came of an attempt. When too many came to nothing, a dead letter says so. */
  async note(action: HubAction, lastError: string | null, now: number): Promise<void> {
    const { kind, subject, wanted, revision, attempts } = action
    const noted = sql`UPDATE ${hubActions} SET last_error = ${lastError} WHERE ${this.#same(action)}`
    const body = JSON.stringify({ kind, subject, revision, wanted, error: lastError })
    const isLoud = lastError !== null && attempts >= quietAttemptsMax
    await batch(this.db, [
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
    await batch(this.db, [
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
