import { type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { batch, isChanged, Store } from './database.ts'
import { leases, rounds, tasks } from './schema/index.ts'

export type RoundRow = InferSelectModel<typeof rounds>
export type LeaseRow = InferSelectModel<typeof leases>

/** Everything that is published of a round, as it stands. */
export interface PublishedRound {
  /** The hub's own id of the task; null in a direct round. */
  taskId: string | null
  round: RoundRow
  /** Of everybody that was asked so far. */
  leases: readonly LeaseRow[]
}

/** Holds while a round is not over, in a statement that comes before the one that ends it. */
export const isRoundOpen = (roundId: string): SQL => sql`NOT EXISTS (SELECT 1 FROM ${rounds} AS over
  WHERE over.round_id = ${roundId} AND over.state IN ('finalized', 'failed'))`

/** What is published of rounds: a row for each, and one for each member that was asked. */
export class RoundStore extends Store {
  async find(roundId: string): Promise<RoundRow | null> {
    return (await this.db.select().from(rounds).where(sql`round_id = ${roundId}`).get()) ?? null
  }

  /** Those of some rounds that are not over, also where nothing is published of them yet. */
  async notOver(roundIds: readonly string[]): Promise<string[]> {
    const rows = await this.db.all<{ id: string }>(sql`
        SELECT given.value AS id FROM json_each(${JSON.stringify(roundIds)}) AS given
        WHERE NOT EXISTS (SELECT 1 FROM ${rounds} AS over
          WHERE over.round_id = given.value AND over.state IN ('finalized', 'failed'))`)
    return rows.map(({ id }) => id)
  }

  async leases(roundId: string): Promise<LeaseRow[]> {
    return this.db.select().from(leases).where(sql`round_id = ${roundId}`).orderBy(leases.position)
  }

  /**
   * Writes a round as it stands, in one batch. The same again changes nothing, and nothing changes a round that is over.
   *
   * @param following - What follows from the end of a round, each guarded by {@link isRoundOpen}, so that it happens once.
   * @returns `over` where the round had ended before.
   */
  async publish(
    { taskId, round, leases: asked }: PublishedRound,
    following: readonly SQL[] = [],
  ): Promise<'written' | 'over'> {
    const statements = [...following, ...leaseStatements(round.roundId, asked), roundStatement(round)]
    if (taskId !== null) statements.unshift(taskStatement(taskId, round))
    const results = await batch(this.db, statements)
    return isChanged(results.at(-1)) ? 'written' : 'over'
  }
}

/** A task that was queued gets its round; of another one the row is made with it. */
const taskStatement = (taskId: string, round: RoundRow): SQL => sql`
  INSERT INTO ${tasks} (task_id, project_id, round_id, function, gas_limit, input_hash, created_at)
  VALUES (${taskId}, ${round.projectId}, ${round.roundId}, ${round.function}, ${round.gasLimit}, ${round.inputHash},
    ${round.issuedAt})
  ON CONFLICT (task_id) DO UPDATE SET round_id = excluded.round_id WHERE round_id IS NULL`

const leaseColumns = [
  ['round_id', 'roundId'],
  ['position', 'position'],
  ['role', 'role'],
  ['node_key', 'nodeKey'],
  ['node_id', 'nodeId'],
  ['subscription_id', 'subscriptionId'],
  ['owner', 'owner'],
  ['project_id', 'projectId'],
  ['epoch', 'epoch'],
  ['state', 'state'],
  ['missed_because', 'missedBecause'],
  ['created_at', 'createdAt'],
  ['deadline', 'deadline'],
  ['completed_at', 'completedAt'],
  ['proof_id', 'proofId'],
  ['proof_status', 'proofStatus'],
  ['rejection_reason', 'rejectionReason'],
  ['receipt_hash', 'receiptHash'],
  ['submitted_at', 'submittedAt'],
  ['units', 'units'],
] as const satisfies readonly (readonly [string, keyof LeaseRow])[]

/** Columns of a lease that change after it was made. */
const movingLeaseColumns = [
  'state',
  'missed_because',
  'completed_at',
  'proof_status',
  'rejection_reason',
  'receipt_hash',
  'submitted_at',
  'units',
]

/** A row that is as it was is not written again. */
function leaseStatements(roundId: string, asked: readonly LeaseRow[]): SQL[] {
  if (asked.length === 0) return []
  const columns = leaseColumns.map(([column]) => column).join(', ')
  const values = leaseColumns.map(([, member]) => `value->>'${member}'`).join(', ')
  const moved = movingLeaseColumns.map((column) => `${column} = excluded.${column}`).join(', ')
  const differs = movingLeaseColumns
    .map((column) => `leases.${column} IS NOT excluded.${column}`)
    .join(' OR ')
  return [
    sql`INSERT INTO ${leases} (${sql.raw(columns)})
      SELECT ${sql.raw(values)} FROM json_each(${JSON.stringify(asked)}) WHERE ${isRoundOpen(roundId)}
      ON CONFLICT (round_id, position) DO UPDATE SET ${sql.raw(moved)} WHERE ${sql.raw(differs)}`,
  ]
}

const movingRoundColumns = [
  'state',
  // They are known once the committee is drawn.
  'fallback',
  'committee_size',
  'votes',
  'agreeing',
  'audited',
  'receipt_hash',
  'success',
  'gas_used',
  'output_hash',
  'events_hash',
  'output',
  'events',
  'agreed_at',
  'finalized_at',
  'finality_ms',
  'error',
]

const roundStatement = (round: RoundRow): SQL => sql`
  INSERT INTO ${rounds} (round_id, kind, state, project_id, consensus_hash, epoch, seq, set_hash, module_address,
    function, input_hash, gas_limit, issued_at, nonce, input, fallback, committee_size, votes, agreeing, audited,
    receipt_hash, success, gas_used, output_hash, events_hash, output, events, agreed_at, finalized_at, finality_ms, error)
  VALUES (${round.roundId}, ${round.kind}, ${round.state}, ${round.projectId}, ${round.consensusHash}, ${round.epoch},
    ${round.seq}, ${round.setHash}, ${round.moduleAddress}, ${round.function}, ${round.inputHash}, ${round.gasLimit},
    ${round.issuedAt}, ${round.nonce}, ${round.input}, ${round.fallback}, ${round.committeeSize}, ${round.votes},
    ${round.agreeing}, ${Number(round.audited)}, ${round.receiptHash},
    ${round.success === null ? null : Number(round.success)}, ${round.gasUsed}, ${round.outputHash},
    ${round.eventsHash}, ${round.output}, ${round.events === null ? null : JSON.stringify(round.events)},
    ${round.agreedAt}, ${round.finalizedAt}, ${round.finalityMs}, ${round.error})
  ON CONFLICT (round_id) DO UPDATE SET
    ${sql.raw(movingRoundColumns.map((column) => `${column} = excluded.${column}`).join(', '))}
  WHERE rounds.state NOT IN ('finalized', 'failed')`
