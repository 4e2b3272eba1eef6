import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import { type Database, query } from './database.ts'
import { idempotencyKeys } from './schema.ts'

export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export type ClaimResult =
  | { status: 'claimed' }
  | { status: 'running' }
  | { status: 'other_request' }
  | { status: 'answered'; answer: KeptAnswer }

export interface IdempotentRequest {
  caller: string
  key: string
  requestHash: string
}

const answerLifetimeSeconds = 86_400
/** Longer than any request runs; a key whose first request died is free again after it. */
const lockSeconds = 60

/** First answers of requests that carried an `Idempotency-Key`. */
export class IdempotencyKeyStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** Exactly one of racing equal requests gets `claimed`, and owes a `complete` or a `release`. */
  async claim({ caller, key, requestHash }: IdempotentRequest, now: number): Promise<ClaimResult> {
    const claim = {
      requestHash,
      lockedUntil: now + lockSeconds,
      status: null,
      headers: null,
      body: null,
      expiresAt: now + answerLifetimeSeconds,
    }
    const inserted = await query(
      this.#db
        .insert(idempotencyKeys)
        .values({ caller, key, ...claim })
        .onConflictDoUpdate({
          target: [idempotencyKeys.caller, idempotencyKeys.key],
          set: claim,
          setWhere: sql`${idempotencyKeys.expiresAt} <= ${now} OR (${idempotencyKeys.status} IS NULL
            AND ${idempotencyKeys.lockedUntil} <= ${now} AND ${idempotencyKeys.requestHash} = ${requestHash})`,
        }),
    )
    if (inserted.meta.changes === 1) return { status: 'claimed' }

    const [row] = await query(
      this.#db
        .select()
        .from(idempotencyKeys)
        .where(and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key))),
    )
    if (row && row.requestHash !== requestHash) return { status: 'other_request' }
    if (!row || row.status === null) return { status: 'running' }
    return {
      status: 'answered',
      answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' },
    }
  }

  async complete({ caller, key }: IdempotentRequest, { status, headers, body }: KeptAnswer): Promise<void> {
    await query(
      this.#db
        .update(idempotencyKeys)
        .set({ status, headers, body })
        .where(and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key))),
    )
  }

  /** Frees the key of a request whose failure may pass, so that a retry runs it again. */
  async release({ caller, key }: IdempotentRequest): Promise<void> {
    await query(
      this.#db
        .delete(idempotencyKeys)
        .where(
          and(
            eq(idempotencyKeys.caller, caller),
            eq(idempotencyKeys.key, key),
            isNull(idempotencyKeys.status),
          ),
        ),
    )
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(idempotencyKeys).where(lte(idempotencyKeys.expiresAt, now)))
  }
}
