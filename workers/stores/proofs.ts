import { type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import type { LeaseRow } from './rounds.ts'
import { type EpochTerms, epochRounds, leases, proofHours, rounds, slashes } from './schema/index.ts'

export interface LeaseFilter {
  state?: LeaseRow['state'] | undefined
  nodeId?: string | undefined
  projectId?: string | undefined
}

export interface ProofFilter extends Omit<LeaseFilter, 'state'> {
  status?: NonNullable<LeaseRow['proofStatus']> | undefined
}

export interface LeasePosition {
  createdAt: number
  roundId: string
  position: number
}

/** A lease with the function of its task. */
export interface Lease
  extends Pick<
    LeaseRow,
    | 'roundId'
    | 'position'
    | 'role'
    | 'nodeId'
    | 'projectId'
    | 'state'
    | 'deadline'
    | 'units'
    | 'createdAt'
    | 'completedAt'
  > {
  function: string
}

/** What came of a member's vote, or of the lack of one. */
export interface Proof
  extends Pick<
    LeaseRow,
    | 'proofId'
    | 'roundId'
    | 'position'
    | 'projectId'
    | 'subscriptionId'
    | 'nodeId'
    | 'nodeKey'
    | 'epoch'
    | 'receiptHash'
    | 'rejectionReason'
    | 'submittedAt'
    | 'completedAt'
    | 'createdAt'
    | 'units'
  > {
  status: NonNullable<LeaseRow['proofStatus']>
  /** Of the round once it is final, else null. */
  finalReceiptHash: string | null
  audited: boolean
  finalityMs: number | null
  finalizedAt: number | null
  /** What everybody is credited in the epoch so far, and what it pays for; null before the first round that is final. */
  epochUnits: number | null
  terms: EpochTerms | null
  slashId: string | null
}

/** How many proofs came out how. */
export interface ProofCounts {
  verified: number
  finalityMs: number
  disagreed: number
  invalidVote: number
  late: number
  missed: number
}

/** What members were asked, and what came of it. */
export class ProofStore extends Store {
  /** Newest first; `limit` rows after `after`. */
  async leases(
    owner: Wallet,
    { state, ...filter }: LeaseFilter,
    after: LeasePosition | undefined,
    limit: number,
  ): Promise<Lease[]> {
    const page = pageOf(owner, filter, after, limit, {
      index: 'leases_of_owner_by_state',
      condition: state === undefined ? null : sql`l.state = ${state}`,
    })
    return this.db.all<Lease>(sql`
        SELECT l.round_id AS roundId, l.position, l.role, l.node_id AS nodeId, l.project_id AS projectId, l.state,
          l.deadline, l.units, l.created_at AS createdAt, l.completed_at AS completedAt, r.function
        FROM (${page}) AS l CROSS JOIN ${rounds} AS r ON r.round_id = l.round_id ${newestFirst}`)
  }

  /** Newest first; `limit` rows after `after`. */
  async list(
    owner: Wallet,
    { status, ...filter }: ProofFilter,
    after: LeasePosition | undefined,
    limit: number,
  ): Promise<Proof[]> {
    const page = pageOf(owner, filter, after, limit, {
      index: 'proofs_of_owner_by_status',
      condition: status === undefined ? null : sql`l.proof_status = ${status}`,
      always: sql`l.proof_status IS NOT NULL`,
    })
    const rows = await this.db.all<ProofRow>(sql`${proofsIn(page)} ${newestFirst}`)
    return rows.map(proofOf)
  }

  async find(proofId: string): Promise<Proof | null> {
    const found = sql`SELECT * FROM ${leases} AS l WHERE l.proof_id = ${proofId} AND l.proof_status IS NOT NULL`
    const [row] = await this.db.all<ProofRow>(proofsIn(found))
    return row === undefined ? null : proofOf(row)
  }

  /**
   * Of rounds that ended since an hour began.
   *
   * @param sinceHour - Counted from 1970; null for all there were.
   */
  async counts(owner: Wallet, projectId: string | undefined, sinceHour: number | null): Promise<ProofCounts> {
    const columns = {
      verified: 'verified',
      finalityMs: 'finality_ms',
      disagreed: 'disagreed',
      invalidVote: 'invalid_vote',
      late: 'late',
      missed: 'missed',
    }
    const sums = Object.entries(columns).map(([name, column]) => `coalesce(sum(${column}), 0) AS ${name}`)
    const [row] = await this.db.all<ProofCounts>(sql`
        SELECT ${sql.raw(sums.join(', '))} FROM ${proofHours}
        WHERE owner = ${owner} ${projectId === undefined ? sql`` : sql`AND project_id = ${projectId}`}
          ${sinceHour === null ? sql`` : sql`AND hour >= ${sinceHour}`}`)
    return row as ProofCounts
  }
}

interface PageCondition {
  /** The index to read by where the list is filtered by nothing but this. */
  index: string
  condition: SQL | null
  /** What holds for every row of the list. */
  always?: SQL
}

/** One range of one index; a further filter is held against its rows. */
function pageOf(
  owner: Wallet,
  { nodeId, projectId }: Omit<LeaseFilter, 'state'>,
  after: LeasePosition | undefined,
  limit: number,
  { index, condition, always }: PageCondition,
): SQL {
  const chosen =
    nodeId !== undefined
      ? 'leases_of_node'
      : projectId !== undefined
        ? 'leases_of_owner_by_project'
        : condition === null
          ? 'leases_of_owner'
          : index
  const conditions = [
    sql`l.owner = ${owner}`,
    ...(nodeId === undefined ? [] : [sql`l.node_id = ${nodeId}`]),
    ...(projectId === undefined ? [] : [sql`l.project_id = ${projectId}`]),
    ...(condition === null ? [] : [condition]),
    ...(always === undefined ? [] : [always]),
    ...(after === undefined
      ? []
      : [
          sql`(l.created_at, l.round_id, l.position) < (${after.createdAt}, ${after.roundId}, ${after.position})`,
        ]),
  ]
  return sql`SELECT l.* FROM ${leases} AS l INDEXED BY ${sql.raw(chosen)}
    WHERE ${sql.join(conditions, sql` AND `)} ${newestFirst} LIMIT ${limit}`
}

const newestFirst = sql.raw('ORDER BY l.created_at DESC, l.round_id DESC, l.position DESC')

/** Proofs with what their rounds and epochs say. @param found - The leases. */
const proofsIn = (found: SQL): SQL => sql`
  SELECT l.proof_id AS proofId, l.round_id AS roundId, l.position, l.project_id AS projectId,
    l.subscription_id AS subscriptionId, l.node_id AS nodeId, l.node_key AS nodeKey, l.epoch,
    l.proof_status AS status, l.receipt_hash AS receiptHash, l.rejection_reason AS rejectionReason,
    l.submitted_at AS submittedAt, l.completed_at AS completedAt, l.created_at AS createdAt, l.units,
    iif(r.state = 'finalized', r.receipt_hash, NULL) AS finalReceiptHash, r.audited,
    r.finality_ms AS finalityMs, r.finalized_at AS finalizedAt, e.units AS epochUnits, e.terms,
    (SELECT s.evidence_hash FROM ${slashes} AS s INDEXED BY slashes_of_round
      WHERE s.round_id = l.round_id AND s.node_id = l.node_id LIMIT 1) AS slashId
  FROM (${found}) AS l CROSS JOIN ${rounds} AS r ON r.round_id = l.round_id
  LEFT JOIN ${epochRounds} AS e ON e.project_id = l.project_id AND e.epoch = l.epoch`

type ProofRow = Omit<Proof, 'audited' | 'terms'> & { audited: number; terms: string | null }

const proofOf = (row: ProofRow): Proof => ({
  ...row,
  audited: row.audited === 1,
  terms: row.terms === null ? null : (JSON.parse(row.terms) as EpochTerms),
})
