import { type SQL, sql } from 'drizzle-orm'
import type { Attestation, ValidatorGeneration } from '../../protocol/committees/index.ts'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import { batch, isChanged, Store } from './database.ts'
import {
  auditLog,
  nodes,
  pendingGenerationSignatures,
  pendingGenerations,
  validatorGenerations,
} from './schema/index.ts'

/** A generation as it is made. Nobody has signed it. */
export interface NewGeneration {
  document: ValidatorGeneration
  hash: string
}

export interface PendingGeneration extends NewGeneration {
  /** When an operator first made it. */
  madeAt: number
  /** How often it lapsed without its quorum and was made again. */
  renewals: number
  /** Requests for signatures since it was last made. */
  attempts: number
  nextAttemptAt: number
  /** Verified, with the time at which each came. */
  signatures: readonly { publicKey: string; signature: string; receivedAt: number }[]
}

/** What an operator decides about nodes in one call. */
export interface GenerationDecision {
  operator: string
  reason: string | null
  /** Node ids. */
  approve: readonly string[]
  revoke: readonly string[]
  /** Whether the keys of those that are revoked are ended now, in network time. */
  endedAt: number | null
}

/** Between attempts to have a generation signed. */
const pauseSecs = { first: 5, last: 300 }

/** Generations on their way to the chain of generations, and how they get onto it. */
export class PendingGenerationStore extends Store {
  async find(): Promise<PendingGeneration | null> {
    const [row] = await this.db.all<PendingRow>(sql`
        SELECT p.*, (SELECT json_group_array(json_object('publicKey', public_key, 'signature', signature,
            'receivedAt', received_at)) FROM (SELECT * FROM ${pendingGenerationSignatures} AS s
            WHERE s.hash = p.hash ORDER BY public_key)) AS signatures
        FROM ${pendingGenerations} AS p ORDER BY generation DESC LIMIT 1`)
    return row === undefined ? null : pendingOf(row)
  }

  /** Sets generation 0, which nobody but the coordinator signs. @returns Whether there was none. */
  async begin(
    made: NewGeneration,
    coordinator: Attestation,
    decision: GenerationDecision,
    now: number,
  ): Promise<boolean> {
    const { document, hash } = made
    const results = await batch(this.db, [
      noteGeneration(made, decision, now, sql`NOT EXISTS (SELECT 1 FROM ${validatorGenerations})`),
      sql`INSERT INTO ${validatorGenerations}
          (generation, effective_at, prev_hash, hash, document, coordinator, signatures, made_at, whole_at)
        VALUES (0, ${document.effective_at}, ${document.prev_hash}, ${hash}, ${encodeCanonicalJson(document)},
          ${JSON.stringify(coordinator)}, '[]', ${now}, ${now}) ON CONFLICT DO NOTHING`,
      ...decided(decision, now, sql`EXISTS (SELECT 1 FROM ${validatorGenerations} WHERE hash = ${hash})`),
    ])
    return isChanged(results[1])
  }

  /**
   * Keeps the next generation until it is signed, with what it says about nodes.
   *
   * @param replaces - Whether it takes the place of one that is pending, as an emergency generation does. What that one said
   * about nodes is taken back.
   * @returns Whether it was kept: not beside another one, nor on top of what is not the end of the chain any more.
   */
  async propose(
    made: NewGeneration,
    decision: GenerationDecision,
    replaces: boolean,
    now: number,
  ): Promise<boolean> {
    const { document, hash } = made
    const isNext = sql`(SELECT max(generation) FROM ${validatorGenerations}) = ${document.generation - 1}
      AND ${document.prev_hash} = (SELECT hash FROM ${validatorGenerations} ORDER BY generation DESC LIMIT 1)`
    const isFree = replaces ? isNext : sql`${isNext} AND NOT EXISTS (SELECT 1 FROM ${pendingGenerations})`
    const before = [
      noteGeneration(made, decision, now, isFree),
      ...(replaces ? takenBack(made, decision, now, isFree) : []),
    ]
    const results = await batch(this.db, [
      ...before,
      sql`INSERT OR REPLACE INTO ${pendingGenerations}
          (generation, hash, document, made_at, renewals, attempts, next_attempt_at)
        SELECT ${document.generation}, ${hash}, ${encodeCanonicalJson(document)}, ${now}, 0, 0, ${now}
        WHERE ${isFree}`,
      ...decided(decision, now, sql`EXISTS (SELECT 1 FROM ${pendingGenerations} WHERE hash = ${hash})`),
      dropStraySignatures,
    ])
    return isChanged(results[before.length])
  }

  /** Puts another document in the place of one that lapsed, without its signatures. @returns Whether it was the one that waits. */
  async renew({ hash: lapsed }: PendingGeneration, made: NewGeneration, now: number): Promise<boolean> {
    const [updated] = await batch(this.db, [
      sql`UPDATE ${pendingGenerations} SET hash = ${made.hash}, document = ${encodeCanonicalJson(made.document)},
          renewals = renewals + 1, attempts = 0, next_attempt_at = ${now} WHERE hash = ${lapsed}`,
      dropStraySignatures,
    ])
    return isChanged(updated)
  }

  /** Notes an attempt; the next one comes after a pause that doubles each time. @returns False where another one was first. */
  async attempt({ hash, attempts }: PendingGeneration, now: number): Promise<boolean> {
    const pause = Math.min(pauseSecs.last, pauseSecs.first * 2 ** Math.min(attempts, 16))
    const [updated] = await batch(this.db, [
      sql`UPDATE ${pendingGenerations} SET attempts = ${attempts + 1}, next_attempt_at = ${now + pause}
        WHERE hash = ${hash} AND attempts = ${attempts}`,
    ])
    return isChanged(updated)
  }

  /** Keeps a signature that was verified; the first of a validator stays. */
  async sign(hash: string, { public_key, signature }: Attestation, now: number): Promise<void> {
    await batch(this.db, [
      sql`INSERT INTO ${pendingGenerationSignatures} (hash, public_key, signature, received_at)
        SELECT ${hash}, ${public_key}, ${signature}, ${now}
        WHERE EXISTS (SELECT 1 FROM ${pendingGenerations} WHERE hash = ${hash}) ON CONFLICT DO NOTHING`,
    ])
  }

  /** Puts a generation onto the chain. Its quorum was checked; where the chain has moved meanwhile, nothing happens. */
  async complete(
    { document, hash }: NewGeneration,
    coordinator: Attestation,
    signatures: readonly Attestation[],
    now: number,
  ): Promise<boolean> {
    const isNext = sql`${document.prev_hash} = (SELECT hash FROM ${validatorGenerations} ORDER BY generation DESC LIMIT 1)`
    const [inserted] = await batch(this.db, [
      sql`INSERT INTO ${validatorGenerations}
          (generation, effective_at, prev_hash, hash, document, coordinator, signatures, made_at, whole_at)
        SELECT generation, ${document.effective_at}, ${document.prev_hash}, hash, document,
          ${JSON.stringify(coordinator)}, ${JSON.stringify(signatures)}, made_at, ${now}
        FROM ${pendingGenerations} WHERE hash = ${hash} AND ${isNext}
        ON CONFLICT DO NOTHING`,
      sql`DELETE FROM ${pendingGenerations} WHERE hash = ${hash}`,
      sql`DELETE FROM ${pendingGenerationSignatures} WHERE hash = ${hash}`,
    ])
    return isChanged(inserted)
  }
}

const dropStraySignatures = sql`
  DELETE FROM ${pendingGenerationSignatures} WHERE hash NOT IN (SELECT hash FROM ${pendingGenerations})`

/** The note of an operator's generation; `isFree` holds exactly when it comes to be. */
const noteGeneration = (
  { document, hash }: NewGeneration,
  { operator, reason, approve, revoke, endedAt }: GenerationDecision,
  now: number,
  isFree: SQL,
): SQL => sql`
  INSERT INTO ${auditLog} (operator, action, subject, reason, before, after, created_at)
  SELECT ${operator}, 'validators.generation', ${String(document.generation)}, ${reason},
    json_object('generation', (SELECT max(generation) FROM ${validatorGenerations})),
    ${JSON.stringify({ generation: document.generation, hash, approve, revoke, ended_at: endedAt })}, ${now}
  WHERE ${isFree}`

/**
 * Gives the nodes that the pending generation approved or revoked the status that they have by the chain of generations, with
 * a note of each, unless the one that replaces it says the same of them. An ended key stays ended.
 */
function takenBack(
  { document }: NewGeneration,
  { operator, reason }: Pick<GenerationDecision, 'operator' | 'reason'>,
  now: number,
  holds: SQL,
): SQL[] {
  const isIn = (documents: SQL) => sql`EXISTS (SELECT 1 FROM (${documents}) AS one,
    json_each(one.document, '$.validators') AS member WHERE json_extract(member.value, '$.node_id') = node_id)`
  const wasComing = isIn(sql`SELECT document FROM ${pendingGenerations}`)
  const isHere = isIn(sql`SELECT document FROM ${validatorGenerations} ORDER BY generation DESC LIMIT 1`)
  const isComing = isIn(sql`SELECT ${encodeCanonicalJson(document)} AS document`)
  const wasEverHere = isIn(sql`SELECT document FROM ${validatorGenerations}`)
  const status = sql`CASE WHEN ${isHere} THEN 'approved' WHEN ${wasEverHere} THEN 'revoked' ELSE 'pending' END`
  const changing = sql`role = 'validator' AND revoked_at IS NULL
    AND status = CASE WHEN ${wasComing} THEN 'approved' ELSE 'revoked' END
    AND ${wasComing} <> ${isHere} AND ${wasComing} <> ${isComing}
    AND EXISTS (SELECT 1 FROM ${pendingGenerations}) AND ${holds}`
  return [
    sql`INSERT INTO ${auditLog} (operator, action, subject, reason, before, after, created_at)
      SELECT ${operator}, 'node.restore', node_id, ${reason}, json_object('status', status),
        json_object('status', ${status}), ${now} FROM ${nodes} WHERE ${changing}`,
    sql`UPDATE ${nodes} SET status = ${status}, updated_at = ${now} WHERE ${changing}`,
  ]
}

/** What a generation says about nodes, with a note of each whose status it changes. */
function decided(
  { operator, reason, approve, revoke, endedAt }: GenerationDecision,
  now: number,
  holds: SQL,
): SQL[] {
  const change = (ids: readonly string[], status: 'approved' | 'revoked', action: string): SQL[] => {
    if (ids.length === 0) return []
    const isEnded = status === 'revoked' && endedAt !== null
    const changing = sql`node_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${holds}
      AND (status <> ${status}${isEnded ? sql` OR revoked_at IS NULL` : sql``})`
    return [
      sql`INSERT INTO ${auditLog} (operator, action, subject, reason, before, after, created_at)
        SELECT ${operator}, ${action}, node_id, ${reason}, json_object('status', status),
          ${JSON.stringify({ status, ...(isEnded && { revoked_at: endedAt }) })}, ${now} FROM ${nodes} WHERE ${changing}`,
      sql`UPDATE ${nodes} SET status = ${status}, updated_at = ${now}
        ${isEnded ? sql`, revoked_at = coalesce(revoked_at, ${endedAt})` : sql``} WHERE ${changing}`,
    ]
  }
  return [...change(approve, 'approved', 'node.approve'), ...change(revoke, 'revoked', 'node.revoke')]
}

interface PendingRow {
  hash: string
  document: string
  made_at: number
  renewals: number
  attempts: number
  next_attempt_at: number
  signatures: string
}

const pendingOf = (row: PendingRow): PendingGeneration => ({
  document: JSON.parse(row.document) as ValidatorGeneration,
  hash: row.hash,
  madeAt: row.made_at,
  renewals: row.renewals,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  signatures: JSON.parse(row.signatures) as PendingGeneration['signatures'],
})
