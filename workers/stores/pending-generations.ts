import { and, desc, eq, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Attestation, ValidatorGeneration } from '../../protocol/committees/index.ts'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, isChanged, Store } from './database.ts'
import {
  auditLog,
  nodes,
  pendingGenerationSignatures,
  pendingGenerations,
  validatorGenerations,
} from './schema/index.ts'
import { build, insertFrom, isOneOf } from './statements.ts'

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

/** The decision of an operator about nodes in one call. */
export interface GenerationDecision extends Decision {
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
    const { publicKey, signature, receivedAt } = pendingGenerationSignatures
    const signed = sql`SELECT ${publicKey}, ${signature}, ${receivedAt} FROM ${pendingGenerationSignatures}
      WHERE ${pendingGenerationSignatures.hash} = ${pendingGenerations.hash} ORDER BY ${publicKey}`
    const signatures = sql`(SELECT json_group_array(json_object('publicKey', public_key, 'signature', signature,
      'receivedAt', received_at)) FROM (${signed}))`
    const [row] = await this.db
      .select({
        ...getTableColumns(pendingGenerations),
        signatures: signatures.mapWith((text: string) => JSON.parse(text) as PendingGeneration['signatures']),
      })
      .from(pendingGenerations)
      .orderBy(desc(pendingGenerations.generation))
      .limit(1)
    return row === undefined ? null : { ...row, document: JSON.parse(row.document) as ValidatorGeneration }
  }

  /** Sets generation 0, which nobody but the coordinator signs. @returns Whether there was none. */
  async begin(
    made: NewGeneration,
    coordinator: Attestation,
    decision: GenerationDecision,
    now: number,
  ): Promise<boolean> {
    const row = { ...rowOf(made), generation: 0, madeAt: now, wholeAt: now }
    const results = await batch(this.db, [
      noteGeneration(made, decision, now, sql`NOT EXISTS (SELECT 1 FROM ${validatorGenerations})`),
      this.db
        .insert(validatorGenerations)
        .values({ ...row, coordinator: JSON.stringify(coordinator), signatures: '[]' })
        .onConflictDoNothing(),
      ...decided(decision, now, hasHash(validatorGenerations, made.hash)),
    ])
    return isChanged(results[1])
  }

  /**
   * Keeps the next generation, with its decisions about nodes, until it is signed. @param replaces - Whether it takes the place of one that
   * is pending, as an emergency generation does. The decisions of that one are taken back. @returns Whether it was kept: it is not beside
   * another pending one, nor if it does not follow the last generation of the chain.
   */
  async propose(
    made: NewGeneration,
    decision: GenerationDecision,
    replaces: boolean,
    now: number,
  ): Promise<boolean> {
    const { document, hash } = made
    const { generation } = validatorGenerations
    const isNext = sql`(SELECT max(${generation}) FROM ${validatorGenerations}) = ${document.generation - 1}
      AND ${document.prev_hash} = ${lastHash}`
    const isFree = replaces ? isNext : sql`${isNext} AND NOT EXISTS (SELECT 1 FROM ${pendingGenerations})`
    const before = [
      noteGeneration(made, decision, now, isFree),
      ...(replaces ? takenBack(made, decision, now, isFree) : []),
    ]
    const results = await batch(this.db, [
      ...before,
      // The builder replaces the row of one key, and the hash is one too.
      sql`INSERT OR REPLACE INTO ${pendingGenerations}
          (generation, hash, document, made_at, renewals, attempts, next_attempt_at)
        SELECT ${document.generation}, ${hash}, ${encodeCanonicalJson(document)}, ${now}, 0, 0, ${now}
        WHERE ${isFree}`,
      ...decided(decision, now, hasHash(pendingGenerations, hash)),
      dropStraySignatures,
    ])
    return isChanged(results[before.length])
  }

  /** Puts another document in the place of one that lapsed, without its signatures. @returns Whether it was the one that waits. */
  async renew({ hash: lapsed }: PendingGeneration, made: NewGeneration, now: number): Promise<boolean> {
    const { hash, document } = rowOf(made)
    const renewals = sql`${pendingGenerations.renewals} + 1`
    const [updated] = await batch(this.db, [
      this.db
        .update(pendingGenerations)
        .set({ hash, document, renewals, attempts: 0, nextAttemptAt: now })
        .where(eq(pendingGenerations.hash, lapsed)),
      dropStraySignatures,
    ])
    return isChanged(updated)
  }

  /** Notes an attempt; the next one comes after a pause that doubles each time. @returns False if another one was first. */
  async attempt({ hash, attempts }: PendingGeneration, now: number): Promise<boolean> {
    const pause = Math.min(pauseSecs.last, pauseSecs.first * 2 ** Math.min(attempts, 16))
    const updated = await this.db
      .update(pendingGenerations)
      .set({ attempts: attempts + 1, nextAttemptAt: now + pause })
      .where(and(eq(pendingGenerations.hash, hash), eq(pendingGenerations.attempts, attempts)))
    return isChanged(updated)
  }

  /** Keeps a signature that was verified; the first of a validator stays. */
  async sign(hash: string, { public_key: publicKey, signature }: Attestation, now: number): Promise<void> {
    const row = { hash, publicKey, signature, receivedAt: now }
    const isPending = hasHash(pendingGenerations, hash)
    await this.db.run(
      insertFrom(pendingGenerationSignatures, row, sql`WHERE ${isPending}`).onConflictDoNothing(),
    )
  }

  /** Puts a generation onto the chain. Its quorum was checked; where the chain has moved meanwhile, nothing happens. */
  async complete(
    { document, hash }: NewGeneration,
    coordinator: Attestation,
    signatures: readonly Attestation[],
    now: number,
  ): Promise<boolean> {
    const { effective_at: effectiveAt, prev_hash: prevHash } = document
    const { generation, madeAt } = pendingGenerations
    const isPending = eq(pendingGenerations.hash, hash)
    const [inserted] = await batch(this.db, [
      insertFrom(
        validatorGenerations,
        {
          ...{ effectiveAt, prevHash, hash, wholeAt: now },
          ...{
            generation: sql`${generation}`,
            document: sql`${pendingGenerations.document}`,
            madeAt: sql`${madeAt}`,
          },
          ...{ coordinator: JSON.stringify(coordinator), signatures: JSON.stringify(signatures) },
        },
        sql`FROM ${pendingGenerations} WHERE ${isPending} AND ${prevHash} = ${lastHash}`,
      ).onConflictDoNothing(),
      this.db.delete(pendingGenerations).where(isPending),
      this.db.delete(pendingGenerationSignatures).where(eq(pendingGenerationSignatures.hash, hash)),
    ])
    return isChanged(inserted)
  }
}

const lastHash = sql`(SELECT ${validatorGenerations.hash} FROM ${validatorGenerations}
  ORDER BY ${validatorGenerations.generation} DESC LIMIT 1)`

const hasHash = (table: typeof validatorGenerations | typeof pendingGenerations, hash: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.hash} = ${hash})`

const rowOf = ({ document, hash }: NewGeneration) => ({
  ...{ hash, document: encodeCanonicalJson(document) },
  ...{ effectiveAt: document.effective_at, prevHash: document.prev_hash },
})

const dropStraySignatures = build
  .delete(pendingGenerationSignatures)
  .where(
    sql`${pendingGenerationSignatures.hash} NOT IN (SELECT ${pendingGenerations.hash} FROM ${pendingGenerations})`,
  )

/** The note of an operator's generation; `isFree` holds exactly when it comes to be. */
const noteGeneration = (
  { document: { generation }, hash }: NewGeneration,
  { operator, reason, approve, revoke, endedAt }: GenerationDecision,
  now: number,
  isFree: SQL,
) =>
  auditStatement(
    {
      ...{ operator, reason, action: 'validators.generation', subject: String(generation) },
      after: { generation, hash, approve, revoke, ended_at: endedAt },
    },
    now,
    sql`SELECT json_object('generation',
      (SELECT max(${validatorGenerations.generation}) FROM ${validatorGenerations})) AS value WHERE ${isFree}`,
  )

/** Gives nodes another status, with a note of each. */
const changeNodes = (
  { operator, reason }: Decision,
  action: string,
  {
    after,
    ...columns
  }: { status: SQL | 'approved' | 'revoked'; revokedAt?: SQL; after: SQL | Record<string, unknown> },
  now: number,
  changing: SQL,
): SQLWrapper[] => [
  insertFrom(
    auditLog,
    {
      ...{ operator, action, reason, subject: sql`${nodes.nodeId}`, createdAt: now },
      ...{ before: sql`json_object('status', ${nodes.status})`, after },
    },
    sql`FROM ${nodes} WHERE ${changing}`,
  ),
  build
    .update(nodes)
    .set({ ...columns, updatedAt: now })
    .where(changing),
]

/**
 * Gives the nodes that the pending generation approved or revoked the status that they have by the chain of generations, with
 * a note of each, unless the one that replaces it says the same of them. An ended key stays ended.
 */
function takenBack({ document }: NewGeneration, decision: Decision, now: number, holds: SQL): SQLWrapper[] {
  const isIn = (documents: SQL) => sql`EXISTS (SELECT 1 FROM (${documents}) AS one,
    json_each(one.document, '$.validators') AS member
    WHERE json_extract(member.value, '$.node_id') = ${nodes.nodeId})`
  const everyDocument = sql`SELECT ${validatorGenerations.document} FROM ${validatorGenerations}`
  const wasComing = isIn(sql`SELECT ${pendingGenerations.document} FROM ${pendingGenerations}`)
  const isHere = isIn(sql`${everyDocument} ORDER BY ${validatorGenerations.generation} DESC LIMIT 1`)
  const isComing = isIn(sql`SELECT ${encodeCanonicalJson(document)} AS document`)
  const status = sql`CASE WHEN ${isHere} THEN 'approved' WHEN ${isIn(everyDocument)} THEN 'revoked' ELSE 'pending' END`
  const changing = sql`${nodes.role} = 'validator' AND ${nodes.revokedAt} IS NULL
    AND ${nodes.status} = CASE WHEN ${wasComing} THEN 'approved' ELSE 'revoked' END
    AND ${wasComing} <> ${isHere} AND ${wasComing} <> ${isComing}
    AND EXISTS (SELECT 1 FROM ${pendingGenerations}) AND ${holds}`
  const after = sql`json_object('status', ${status})`
  return changeNodes(decision, 'node.restore', { status, after }, now, changing)
}

/** Applies the decisions of a generation about nodes, with a note for each node whose status it changes. */
function decided(decision: GenerationDecision, now: number, holds: SQL): SQLWrapper[] {
  const { approve, revoke, endedAt } = decision
  const change = (ids: readonly string[], status: 'approved' | 'revoked', action: string) => {
    if (ids.length === 0) return []
    const isEnded = status === 'revoked' && endedAt !== null
    const changing = sql`${isOneOf(nodes.nodeId, ids)} AND ${holds}
      AND (${nodes.status} <> ${status}${isEnded ? sql` OR ${nodes.revokedAt} IS NULL` : sql``})`
    const after = { status, ...(isEnded && { revoked_at: endedAt }) }
    const ended = isEnded && { revokedAt: sql`coalesce(${nodes.revokedAt}, ${endedAt})` }
    return changeNodes(decision, action, { status, ...ended, after }, now, changing)
  }
  return [...change(approve, 'approved', 'node.approve'), ...change(revoke, 'revoked', 'node.revoke')]
}
