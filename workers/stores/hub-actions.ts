import { and, eq, type InferSelectModel, isNull, type SQL, sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { RowReader } from './rows.ts'
import { chainCursor, deadLetters, hubActions, slashes, withdrawals } from './schema/index.ts'
import { insertFrom, replaced } from './statements.ts'

export type HubAction = InferSelectModel<typeof hubActions>
export type HubActionKind = HubAction['kind']

export type Wish = Pick<HubAction, 'kind' | 'subject' | 'wanted'>

/** The queue that dead letters about such actions name. */
export const hubActionsQueue = 'hub-actions'

/** Attempts in vain after which operators are told; it is tried on. */
const quietAttemptsMax = 8

/** Names the one dead letter about an action. */
const letterIdOf = ({ kind, subject }: Pick<HubAction, 'kind' | 'subject'>): string => `${kind}:${subject}`

/**
 * The statement that notes what the hub wants; it takes the place of an older wish about the same thing. It goes into one batch with the
 * decision it follows from. @param condition - A query that has a row exactly when the decision that follows happens.
 */
export const wantStatement = (wish: Wish, now: number, condition: SQL) =>
  insertFrom(
    hubActions,
    { ...wish, revision: 1, state: 'open', attempts: 0, nextAttemptAt: now, wantedAt: now },
    sql`WHERE EXISTS (${condition})`,
  ).onConflictDoUpdate({
    target: [hubActions.kind, hubActions.subject],
    set: {
      ...replaced(hubActions, ['wanted', 'state', 'attempts', 'nextAttemptAt', 'lastError', 'wantedAt']),
      revision: sql`${hubActions.revision} + 1`,
    },
  })

const addressLength = 42
/** Actions of one share, and of all, in one round. */
const turnsMax = 5
const roundMax = 50

const actionRows = new RowReader(hubActions)

/** The actions that the hub itself wants on the chain, until the chain has them. */
export class HubActionStore extends Store {
  async find(kind: HubActionKind, subject: string): Promise<HubAction | null> {
    const rows = await this.db
      .select()
      .from(hubActions)
      .where(and(eq(hubActions.kind, kind), eq(hubActions.subject, subject)))
    return rows[0] ?? null
  }

  /**
   * One round of the actions that are due: a few of each share, those first that are due longest. A share is all actions
   * about one vault, one project's slashes, or one wallet's claims.
   */
  async due(now: number): Promise<HubAction[][]> {
    const rows = await this.db.all<{ share: string }>(sql`
      SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY share ORDER BY next_attempt_at, kind, subject) AS turn FROM (
          SELECT ${hubActions}.*, coalesce(
            (SELECT ${slashes.projectId} FROM ${slashes} WHERE ${slashes.evidenceHash} = ${hubActions.subject}),
            (SELECT ${withdrawals.account} FROM ${withdrawals} WHERE ${withdrawals.withdrawalId} = ${hubActions.subject}),
            substr(${hubActions.subject}, 1, ${addressLength})) AS share
          FROM ${hubActions} WHERE ${hubActions.state} = 'open' AND ${hubActions.nextAttemptAt} <= ${now}))
      WHERE turn <= ${turnsMax} ORDER BY turn, next_attempt_at LIMIT ${roundMax}`)
    const shares = Map.groupBy(rows, ({ share }) => share)
    return [...shares.values()].map((share) => share.map((row) => actionRows.read(row)))
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

  /** Leaves the action until `nextAttemptAt`. That does not count as a failure, and no dead letter is written about it. */
  async wait(action: HubAction, reason: string, nextAttemptAt: number): Promise<void> {
    await this.db.update(hubActions).set({ nextAttemptAt, lastError: reason }).where(this.#same(action))
  }

  /**
   * Leaves the action until an event of the chain makes it due, or until `until`. When the index has moved on since it was
   * read, that event may have come in between: then it is due again at once. @param tip - Hash of the newest indexed block when
   * it was read.
   */
  async waitForEvent(
    action: HubAction,
    reason: string,
    { tip, now, until }: { tip: string | null; now: number; until: number },
  ): Promise<void> {
    const nextAttemptAt = sql`iif((SELECT ${chainCursor.blockHash} FROM ${chainCursor}) IS ${tip}, ${until}, ${now})`
    await this.db.update(hubActions).set({ lastError: reason, nextAttemptAt }).where(this.#same(action))
  }

  /** Notes what came of an attempt, and what `wanted` counts. When too many came to nothing, a dead letter says so. */
  async note(action: HubAction, lastError: string | null, now: number): Promise<void> {
    const { kind, subject, wanted, revision, attempts } = action
    const noted = this.db.update(hubActions).set({ lastError, wanted }).where(this.#same(action))
    const body = JSON.stringify({ kind, subject, revision, wanted, error: lastError })
    const isLoud = lastError !== null && attempts >= quietAttemptsMax
    const letter = insertFrom(
      deadLetters,
      { messageId: letterIdOf(action), queue: hubActionsQueue, body, attempts, diedAt: now },
      sql`FROM ${hubActions} WHERE ${this.#same(action)}`,
    ).onConflictDoUpdate({
      target: deadLetters.messageId,
      set: {
        ...replaced(deadLetters, ['body', 'attempts']),
        diedAt: sql`iif(${deadLetters.resolvedAt} IS NULL, ${deadLetters.diedAt}, excluded.died_at)`,
        resolvedAt: null,
        resolution: null,
      },
    })
    await batch(this.db, isLoud ? [noted, letter] : [noted])
  }

  /** Notes that the chain has it. The wish `next`, if any, is wanted from then on. */
  async finish(action: HubAction, now: number, next: Wish | null = null): Promise<void> {
    const same = sql`SELECT 1 FROM ${hubActions} WHERE ${this.#same(action)}`
    const letter = and(eq(deadLetters.messageId, letterIdOf(action)), isNull(deadLetters.resolvedAt))
    await batch(this.db, [
      ...(next === null ? [] : [wantStatement(next, now, same)]),
      this.db
        .update(deadLetters)
        .set({ resolvedAt: now, resolution: 'done' })
        .where(and(letter, sql`EXISTS (${same})`)),
      this.db.update(hubActions).set({ state: 'done', lastError: null }).where(this.#same(action)),
    ])
  }

  /** The same wish, as long as it is not fulfilled, given up or replaced. */
  #same({ kind, subject, revision }: HubAction) {
    return and(
      eq(hubActions.kind, kind),
      eq(hubActions.subject, subject),
      eq(hubActions.revision, revision),
      eq(hubActions.state, 'open'),
    )
  }
}
