import { and, type Column, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import type { LeaseRow } from './rounds.ts'
import { epochRounds, leases, proofHours, rounds, slashes } from './schema/index.ts'
import { fromTemplate, isSameEpoch } from './statements.ts'

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
/** What came of a member's vote, or of the lack of one. */
export type Proof = Awaited<ReturnType<ProofStore['list']>>[number]
/** How many proofs came out how. */
export type ProofCounts = Awaited<ReturnType<ProofStore['counts']>>

export class ProofStore extends Store {
  async leases(
    owner: Wallet,
    { state, ...filter }: LeaseFilter,
    after: LeasePosition | undefined,
    limit: number,
  ) {
    const page = pageOf(owner, filter, after, limit, {
      index: 'leases_of_owner_by_state',
      condition: state && sql`${leases.state} = ${state}`,
    })
    const { roundId, position, role, nodeId, projectId, deadline, units, createdAt, completedAt } = leases
    return this.db
      .select({
        ...fromTemplate({ roundId, position, role, nodeId, projectId, state: leases.state }),
        ...fromTemplate({ deadline, units, createdAt, completedAt }),
        function: rounds.function,
      })
      .from(page)
      .crossJoin(rounds)
      .where(eq(rounds.roundId, roundId))
      .orderBy(() => newestFirst)
  }

  async list(
    owner: Wallet,
    { status, ...filter }: ProofFilter,
    after: LeasePosition | undefined,
    limit: number,
  ) {
    const page = pageOf(owner, filter, after, limit, {
      index: 'proofs_of_owner_by_status',
      condition: status && sql`${leases.proofStatus} = ${status}`,
      always: isProof,
    })
    return this.#proofs(page).orderBy(() => newestFirst)
  }

  async find(proofId: string): Promise<Proof | null> {
    const found = sql`(SELECT * FROM ${leases} WHERE ${leases.proofId} = ${proofId} AND ${isProof}) AS ${leases}`
    const [proof] = await this.#proofs(found)
    return proof ?? null
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

  /** Proofs with what their rounds and epochs say. @param page - Some of the leases, under the name of the table. */
  #proofs(page: SQL) {
    const { proofId, roundId, position, projectId, subscriptionId, nodeId, nodeKey, epoch, units } = leases
    const { receiptHash, rejectionReason, submittedAt, completedAt, createdAt } = leases
    const slash = sql`SELECT ${slashes.evidenceHash} FROM ${slashes} INDEXED BY slashes_of_round
      WHERE ${slashes.roundId} = ${roundId} AND ${slashes.nodeId} = ${nodeId} LIMIT 1`
    return this.db
      .select({
        ...fromTemplate({ proofId, roundId, position, projectId, subscriptionId, nodeId, nodeKey, epoch }),
        ...fromTemplate({ units, rejectionReason, submittedAt, completedAt, createdAt, receiptHash }),
        status: sql<NonNullable<LeaseRow['proofStatus']>>`${leases.proofStatus}`,
        /** Of the round once it is final, else null. */
        finalReceiptHash: sql<string | null>`iif(${rounds.state} = 'finalized', ${rounds.receiptHash}, NULL)`,
        ...{ audited: rounds.audited, finalityMs: rounds.finalityMs, finalizedAt: rounds.finalizedAt },
        // What everybody is credited in the epoch so far, and what it pays for; null before the first round that is final.
        epochUnits: sql<number | null>`${epochRounds.units}`.as('epoch_units'),
        terms: epochRounds.terms,
        slashId: sql<string | null>`(${slash})`,
      })
      .from(page)
      .crossJoin(rounds)
      .leftJoin(epochRounds, isSameEpoch(epochRounds, leases))
      .where(eq(rounds.roundId, roundId))
  }
}

const isProof = sql`${leases.proofStatus} IS NOT NULL`

interface PageCondition {
  /** The index to read by where the list is filtered by nothing but this. */
  index: string
  condition: SQL | undefined
  /** What holds for every row of the list. */
  always?: SQL
}

/** One range of one index, under the name of the table; a further filter is held against its rows. */
function pageOf(
  owner: Wallet,
  { nodeId, projectId }: Omit<LeaseFilter, 'state'>,
  after: LeasePosition | undefined,
  limit: number,
  { index, condition, always }: PageCondition,
): SQL {
  const ofOwner = condition === undefined ? 'leases_of_owner' : index
  const ofProject = projectId === undefined ? ofOwner : 'leases_of_owner_by_project'
  const chosen = nodeId === undefined ? ofProject : 'leases_of_node'
  const { createdAt, roundId, position } = leases
  const conditions = and(
    eq(leases.owner, owner),
    nodeId === undefined ? undefined : eq(leases.nodeId, nodeId),
    projectId === undefined ? undefined : eq(leases.projectId, projectId),
    condition,
    always,
    after &&
      sql`(${createdAt}, ${roundId}, ${position}) < (${after.createdAt}, ${after.roundId}, ${after.position})`,
  )
  return sql`(SELECT * FROM ${leases} INDEXED BY ${sql.raw(chosen)} WHERE ${conditions}
    ORDER BY ${sql.join(newestFirst, sql`, `)} LIMIT ${limit}) AS ${leases}`
}

const newestFirst = [desc(leases.createdAt), desc(leases.roundId), desc(leases.position)]
