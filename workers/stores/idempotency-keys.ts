import { and, eq, isNull, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { idempotencyKeys } from './schema/index.ts'

export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** Null for one that is too long to be kept. */
  body: string | null
}

export type ClaimResult =
  | { status: 'claimed'; operationId: string }
  | { status: 'running' }
  | { status: 'other_request' }
  | { status: 'answered'; operationId: string; answer: KeptAnswer }

export interface IdempotentRequest {
  caller: string
  key: string
  requestHash: string
  requestId: string
  /** The id of the operation that this try begins, if it is the first. */
  operationId: string
}

const answerLifetimeSeconds = 86_400
/** Longer than any request runs; a request that died leaves its claim to the next try after it. */
const lockSeconds = 60

/** Operations that were requested under an `Idempotency-Key`, and the first answer of each. */
export class IdempotencyKeyStore extends Store {
  /**
   * Exactly one of racing equal requests gets `claimed`, and owes a `complete`, a `yield` or a `forget`. A further try of
   * a request without an answer takes the operation over, under the id that it has.
   */
  async claim(request: IdempotentRequest, now: number): Promise<ClaimResult> {
    const { caller, key, requestHash, requestId, operationId } = request
    const claim = {
      requestHash,
      claimedBy: requestId,
      lockedUntil: now + lockSeconds,
      status: null,
      headers: null,
      body: null,
      expiresAt: now + answerLifetimeSeconds,
    }
    const isFree = sql`${idempotencyKeys.expiresAt} <= ${now}`
    const [claimed] = await this.db
      .insert(idempotencyKeys)
      .values({ caller, key, operationId, ...claim })
      .onConflictDoUpdate({
        target: [idempotencyKeys.caller, idempotencyKeys.key],
        set: { ...claim, operationId: sql`iif(${isFree}, ${operationId}, ${idempotencyKeys.operationId})` },
        setWhere: sql`${isFree} OR (${idempotencyKeys.status} IS NULL
            AND ${idempotencyKeys.lockedUntil} <= ${now} AND ${idempotencyKeys.requestHash} = ${requestHash})`,
      })
      .returning({ operationId: idempotencyKeys.operationId })
    if (claimed !== undefined) return { status: 'claimed', ...claimed }

    const [row] = await this.db
      .select()
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key)))
    if (row && row.requestHash !== requestHash) return { status: 'other_request' }
    if (!row || row.status === null) return { status: 'running' }
    return {
      status: 'answered',
      operationId: row.operationId,
      answer: { status: row.status, headers: row.headers ?? {}, body: row.body },
    }
  }

  async complete(request: IdempotentRequest, { status, headers, body }: KeptAnswer): Promise<void> {
    await this.db.update(idempotencyKeys).set({ status, headers, body }).where(this.#isUnanswered(request))
  }

  /** Lets the next try take the operation over at once. */
  async yield(request: IdempotentRequest): Promise<void> {
    await this.db.update(idempotencyKeys).set({ lockedUntil: 0 }).where(this.#isUnanswered(request))
  }

  /** Forgets an operation that did nothing. */
  async forget(request: IdempotentRequest): Promise<void> {
    await this.db.delete(idempotencyKeys).where(this.#isUnanswered(request))
  }

  /** Whether this try holds the claim, and has not answered. */
  #isUnanswered({ caller, key, requestId }: IdempotentRequest) {
    return and(
      eq(idempotencyKeys.caller, caller),
      eq(idempotencyKeys.key, key),
      eq(idempotencyKeys.claimedBy, requestId),
      isNull(idempotencyKeys.status),
    )
  }
}
