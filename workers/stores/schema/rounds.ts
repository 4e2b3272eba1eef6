import type { InferSelectModel } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TaskError } from '../../../durable-objects/project/tasks.ts'
import type {
  FallbackReason,
  LeaseState,
  MissReason,
  ProofStatus,
  RejectionReason,
  RoundFailure,
} from '../../../durable-objects/round/states.ts'
import type { ExecutionEvent } from '../../../protocol/execution/index.ts'
import type { Economics } from '../../../protocol/manifest/index.ts'
import type { RoundState } from '../../../protocol/rounds/index.ts'
import { keyedTable } from './keyed-table.ts'
import type { Token } from './token.ts'

export const tasks = sqliteTable('tasks', {
  taskId: text('task_id').primaryKey(),
  projectId: text('project_id').notNull(),
  roundId: text('round_id'),
  function: text().notNull(),
  gasLimit: integer('gas_limit').notNull(),
  inputHash: text('input_hash').notNull(),
  error: text().$type<TaskError>(),
  createdAt: integer('created_at').notNull(),
})

export const rounds = sqliteTable('rounds', {
  roundId: text('round_id').primaryKey(),
  kind: text().$type<'task' | 'exec'>().notNull(),
  state: text().$type<RoundState>().notNull(),
  projectId: text('project_id'),
  consensusHash: text('consensus_hash'),
  epoch: integer(),
  seq: integer(),
  setHash: text('set_hash'),
  moduleAddress: text('module_address').notNull(),
  function: text().notNull(),
  inputHash: text('input_hash').notNull(),
  gasLimit: integer('gas_limit').notNull(),
  issuedAt: integer('issued_at').notNull(),
  nonce: text(),
  input: text(),
  fallback: text().$type<FallbackReason>(),
  committeeSize: integer('committee_size').notNull(),
  votes: integer().notNull(),
  agreeing: integer().notNull(),
  audited: integer({ mode: 'boolean' }).notNull(),
  receiptHash: text('receipt_hash'),
  success: integer({ mode: 'boolean' }),
  gasUsed: integer('gas_used'),
  outputHash: text('output_hash'),
  eventsHash: text('events_hash'),
  output: text(),
  events: text({ mode: 'json' }).$type<readonly ExecutionEvent[]>(),
  agreedAt: integer('agreed_at'),
  finalizedAt: integer('finalized_at'),
  finalityMs: integer('finality_ms'),
  /** Why the round failed, a {@link RoundFailure}, or of a final one why the run did, as its nodes say. */
  error: text(),
  taskId: text('task_id'),
  createdAt: integer('created_at'),
  leaseKeys: text('lease_keys', { mode: 'json' }).$type<readonly LeaseKey[]>(),
})

/** Owner, `created_at` and position: what finds a lease of a round. */
export type LeaseKey = readonly [owner: string, createdAt: number, position: number]

export const directRounds = sqliteTable('direct_rounds', {
  roundId: text('round_id').primaryKey(),
  endedAt: integer('ended_at').notNull(),
  bytes: integer().notNull(),
})

export const leases = keyedTable('leases', ['owner', 'createdAt', 'roundId', 'position'], {
  roundId: text('round_id').notNull(),
  position: integer().notNull(),
  role: text().$type<'primary' | 'backup'>().notNull(),
  nodeKey: text('node_key').notNull(),
  nodeId: text('node_id').notNull(),
  subscriptionId: text('subscription_id').notNull(),
  owner: text().notNull(),
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  state: text().$type<LeaseState>().notNull(),
  missedBecause: text('missed_because').$type<MissReason>(),
  createdAt: integer('created_at').notNull(),
  deadline: integer().notNull(),
  completedAt: integer('completed_at'),
  proofId: text('proof_id').notNull(),
  proofStatus: text('proof_status').$type<ProofStatus>(),
  rejectionReason: text('rejection_reason').$type<RejectionReason>(),
  receiptHash: text('receipt_hash'),
  submittedAt: integer('submitted_at'),
  units: integer(),
  voteProblem: text('vote_problem'),
})

/** A round as readers see it. */
export type RoundRow = Omit<InferSelectModel<typeof rounds>, 'leaseKeys'>
export type LeaseRow = InferSelectModel<typeof leases>

/** The payment terms of a project's rounds, as in `consensus.economics` of its version, with the token and the epoch's length. */
export type EpochTerms = Economics & { token: Token; epoch_secs: number }

export const epochRounds = keyedTable('epoch_rounds', ['projectId', 'epoch'], {
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  endsAt: integer('ends_at').notNull(),
  terms: text({ mode: 'json' }).$type<EpochTerms>().notNull(),
  rounds: integer().notNull(),
  finalized: integer().notNull(),
  fallback: integer().notNull(),
  units: integer().notNull(),
  primaries: integer().notNull(),
  answered: integer().notNull(),
  unpaid: integer().notNull().default(0),
  archived: integer().default(0),
  contested: integer().notNull().default(0),
  finalityMs: integer('finality_ms').notNull().default(0),
  leaseSecs: integer('lease_secs').notNull().default(0),
})

export const archives = keyedTable('archives', ['projectId', 'epoch'], {
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  rounds: integer().notNull(),
  bytes: integer().notNull(),
  sha256: text().notNull(),
  lastIssuedAt: integer('last_issued_at').notNull(),
  medianFinalityMs: integer('median_finality_ms'),
  archivedAt: integer('archived_at').notNull(),
})

export const epochCredits = keyedTable('epoch_credits', ['miner', 'projectId', 'epoch'], {
  miner: text().notNull(),
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  endsAt: integer('ends_at').notNull(),
  rounds: integer().notNull(),
  units: integer().notNull(),
})

export const proofHours = keyedTable('proof_hours', ['owner', 'projectId', 'hour'], {
  owner: text().notNull(),
  projectId: text('project_id').notNull(),
  hour: integer().notNull(),
  verified: integer().notNull(),
  finalityMs: integer('finality_ms').notNull(),
  disagreed: integer().notNull(),
  invalidVote: integer('invalid_vote').notNull(),
  late: integer().notNull(),
  missed: integer().notNull(),
})

export const networkHours = sqliteTable('network_hours', {
  hour: integer().primaryKey(),
  rounds: integer().notNull(),
  finalized: integer().notNull(),
  units: integer().notNull(),
})

export const networkFigures = sqliteTable('network_figures', {
  id: integer().primaryKey(),
  projectsListed: integer('projects_listed').notNull(),
  minersOnline: integer('miners_online').notNull(),
  devicesOnline: integer('devices_online').notNull(),
  validators: integer().notNull(),
  collateralBonded: text('collateral_bonded').notNull(),
  updatedAt: integer('updated_at').notNull(),
})
