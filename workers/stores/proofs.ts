import { and, type Column, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { epochRounds, type LeaseRow, leases, proofHours, rounds, slashes } from './schema/index.ts'
import { fromTemplate, isEpoch, isSameEpoch } from './statements.ts'

export interface LeaseFilter {
  state?: LeaseRow['state'] | undefined
  nodeId?: string | undefined
  projectId?: string | undefined
}

export interface ProofFilter extends Omit<LeaseFilter, 'state'> {
  status?: NonNullable<LeaseRow['proofStatus']> | undefined
}

export type LeasePosition = Pick<LeaseRow, 'createdAt' | 'roundId' | 'position'>

export type Lease = Awaited<ReturnType<ProofStore['leases']>>[number]
/** The outcome of a member's vote, or of the lack of one. */
export type Proof = Awaited<ReturnType<ProofStore['list']>>[number]
/** How many proofs came out how. */
export type ProofCounts = Awaited<ReturnType<ProofStore['counts']>>

export class ProofStore extends Store {
  /** One page of a scan ({@link scanOf}), with the rest of what matches. */
  async leases(
    owner: Wallet,
    { state, ...filter }: LeaseFilter,
    after: LeasePosition | undefined,
    limit: number,
  ) {
    const scan = scanOf(
      owner,
      after,
      limit,
      rangeOf(leases.state, state, 'finalized', 'leases_of_owner_other'),
    )
    const { roundId, position, role, nodeId, projectId, deadline, units, createdAt, completedAt } = leases
    return this.db
      .select({
        ...fromTemplate({ roundId, position, role, nodeId, projectId, state: leases.state }),
        ...fromTemplate({ deadline, units, createdAt, completedAt, function: rounds.function }),
        isMatch,
      })
      .from(scan)
      .leftJoin(rounds, and(eq(rounds.roundId, roundId), matching({ ...filter, state })))
      .orderBy(() => newestFirst)
  }

  async list(
    owner: Wallet,
    { status, ...filter }: ProofFilter,
    after: LeasePosition | undefined,
    limit: number,
  ) {
    const range = rangeOf(leases.proofStatus, status, 'verified', 'proofs_of_owner_other')
    const scan = scanOf(owner, after, limit, range)
    return this.#proofs(scan, matching({ ...filter, status, isProof: true })).orderBy(() => newestFirst)
  }

  async find(proofId: string): Promise<Proof | null> {
    const found = sql`(SELECT * FROM ${leases} WHERE ${leases.proofId} = ${proofId} AND ${isProof}) AS ${leases}`
    const [proof] = await this.#proofs(found)
    return proof ?? null
  }

  /** The data that the database still has about a proof whose round is in an archive alone. */
  async standing({
    projectId,
    epoch,
    roundId,
    nodeId,
  }: Pick<LeaseRow, 'projectId' | 'epoch' | 'roundId' | 'nodeId'>) {
    const [[counted], [slash]] = await Promise.all([
      this.db
        .select({ epochUnits: epochRounds.units, terms: epochRounds.terms })
        .from(epochRounds)
        .where(isEpoch(epochRounds, projectId, epoch)),
      this.db
        .select({ slashId: slashes.evidenceHash })
        .from(slashes)
        .where(and(eq(slashes.roundId, roundId), eq(slashes.nodeId, nodeId)))
        .limit(1),
    ])
    return {
      epochUnits: counted?.epochUnits ?? null,
      terms: counted?.terms ?? null,
      slashId: slash?.slashId ?? null,
    }
  }

  /** Of rounds that ended since an hour began. @param sinceHour - Counted from 1970; null for all there were. */
  async counts(owner: Wallet, projectId: string | undefined, sinceHour: number | null) {
    const { verified, finalityMs, disagreed, invalidVote, late, missed } = proofHours
    const sum = (column: Column) => sql<number>`coalesce(sum(${column}), 0)`
    const [counted] = await this.db
      .select({
        ...{ verified: sum(verified), finalityMs: sum(finalityMs), disagreed: sum(disagreed) },
        ...{ invalidVote: sum(invalidVote), late: sum(late), missed: sum(missed) },
      })
      .from(proofHours)
      .where(
        and(
          eq(proofHours.owner, owner),
          projectId === undefined ? undefined : eq(proofHours.projectId, projectId),
          sinceHour === null ? undefined : gte(proofHours.hour, sinceHour),
        ),
      )
    return counted!
  }

  /** Proofs with what their rounds and epochs say, of leases that match. @param page - Some of the leases, under the name of the table. */
  #proofs(page: SQL, matches?: SQL) {
    const { proofId, roundId, position, projectId, subscriptionId, nodeId, nodeKey, epoch, units } = leases
    const { receiptHash, rejectionReason, submittedAt, completedAt, createdAt } = leases
    const slash = sql`SELECT ${slashes.evidenceHash} FROM ${slashes} INDEXED BY slashes_of_round
      WHERE ${slashes.roundId} = ${roundId} AND ${slashes.nodeId} = ${nodeId} LIMIT 1`
    return this.db
      .select({
        ...fromTemplate({ proofId, roundId, position, projectId, subscriptionId, nodeId, nodeKey, epoch }),
        ...fromTemplate({ units, rejectionReason, submittedAt, completedAt, createdAt, receiptHash }),
        status: sql<NonNullable<LeaseRow['proofStatus']>>`${leases.proofStatus}`,
        /** The receipt of the round once it is final, else null. */
        finalReceiptHash: sql<string | null>`iif(${rounds.state} = 'finalized', ${rounds.receiptHash}, NULL)`,
        ...fromTemplate({
          audited: rounds.audited,
          finalityMs: rounds.finalityMs,
          finalizedAt: rounds.finalizedAt,
        }),
        isMatch,
        // The units of everybody in the epoch so far, and its terms of payment; null before the first round that is final.
        epochUnits: sql<number | null>`${epochRounds.units}`.as('epoch_units'),
        terms: epochRounds.terms,
        slashId: sql<string | null>`(${slash})`,
      })
      .from(page)
      .leftJoin(rounds, and(eq(rounds.roundId, roundId), matches))
      .leftJoin(epochRounds, and(isSameEpoch(epochRounds, leases), matches))
  }
}

/** Whether a lease of a scan matches its filter. */
const isMatch = sql<number>`${rounds.roundId} IS NOT NULL`.as('is_match')

const isProof = sql`${leases.proofStatus} IS NOT NULL`

/** A range of an index, of which the leases come in the order of lists. */
interface Range {
  index: string | null
  condition: SQL | undefined
}

/** Nearly all leases are as `usual`, so the few others have an index and the usual ones none. */
function rangeOf<T extends string>(column: Column, value: T | undefined, usual: T, others: string): Range {
  return value === undefined || value === usual
    ? { index: null, condition: undefined }
    : { index: others, condition: sql`${column} = ${value} AND ${column} <> ${sql.raw(`'${usual}'`)}` }
}

/**
 * The next leases of an owner, under the name of the table, whether they match a filter or not: the cost of a page depends on its length only,
 * and a page with a filter may have few rows. Joined rows are read only for leases that match.
 */
function scanOf(
  owner: Wallet,
  after: LeasePosition | undefined,
  limit: number,
  { index, condition }: Range,
): SQL {
  const { createdAt, roundId, position } = leases
  const conditions = and(
    eq(leases.owner, owner),
    condition,
    after &&
      sql`(${createdAt}, ${roundId}, ${position}) < (${after.createdAt}, ${after.roundId}, ${after.position})`,
  )
  const by = index === null ? sql`` : sql.raw(`INDEXED BY ${index}`)
  return sql`(SELECT * FROM ${leases} ${by} WHERE ${conditions}
    ORDER BY ${sql.join(newestFirst, sql`, `)} LIMIT ${limit}) AS ${leases}`
}

function matching({
  nodeId,
  projectId,
  state,
  status,
  isProof: isOnly,
}: LeaseFilter & ProofFilter & { isProof?: boolean }) {
  return and(
    nodeId === undefined ? undefined : eq(leases.nodeId, nodeId),
    projectId === undefined ? undefined : eq(leases.projectId, projectId),
    state === undefined ? undefined : eq(leases.state, state),
    status === undefined ? undefined : eq(leases.proofStatus, status),
    isOnly ? isProof : undefined,
  )
}

const newestFirst = [desc(leases.createdAt), desc(leases.roundId), desc(leases.position)]
