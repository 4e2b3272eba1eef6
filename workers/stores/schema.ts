import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type {
  FallbackReason,
  LeaseState,
  MissReason,
  ProofStatus,
  RejectionReason,
  RoundFailure,
} from '../../durable-objects/round/states.ts'
import type { RewardTotals } from '../../protocol/earnings/index.ts'
import type { ExecutionEvent } from '../../protocol/execution/index.ts'
import type { NodeHealth, NodeRole, NodeStatus } from '../../protocol/identity/index.ts'
import type {
  CommitteeRules,
  deviceClasses,
  Economics,
  engines,
  Listing,
  ListingStatus,
  ReviewStatus,
  Tier,
  versionStates,
} from '../../protocol/manifest/index.ts'
import type { RoundState } from '../../protocol/rounds/index.ts'
import type { Evidence, Offence, slashStates } from '../../protocol/slashing/index.ts'
import type { Benchmark, Hardware } from './device-profile.ts'

/** A token as records show it. */
export interface Token {
  address: string
  symbol: string
  name: string
  decimals: number
}

/** The tables of d1-migrations/ as drizzle sees them; a test compares the two. */

export const siweNonces = sqliteTable('siwe_nonces', {
  nonce: text().primaryKey(),
  address: text().notNull(),
  domain: text().notNull(),
  message: text().notNull(),
  issuedAt: integer('issued_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  usedAt: integer('used_at'),
})

export const sessions = sqliteTable('sessions', {
  tokenHash: text('token_hash').primaryKey(),
  address: text().notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  revokedAt: integer('revoked_at'),
})

export const apiKeys = sqliteTable('api_keys', {
  keyId: text('key_id').primaryKey(),
  owner: text().notNull(),
  name: text().notNull(),
  secretHash: text('secret_hash').notNull(),
  scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
  projectIds: text('project_ids', { mode: 'json' }).$type<string[]>(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  lastUsedAt: integer('last_used_at'),
})

export const nodeRequestNonces = sqliteTable(
  'node_request_nonces',
  {
    publicKey: text('public_key').notNull(),
    nonce: text().notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.publicKey, table.nonce] })],
)

export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    caller: text().notNull(),
    key: text().notNull(),
    requestHash: text('request_hash').notNull(),
    operationId: text('operation_id').notNull(),
    claimedBy: text('claimed_by').notNull(),
    lockedUntil: integer('locked_until').notNull(),
    status: integer(),
    headers: text({ mode: 'json' }).$type<Record<string, string>>(),
    body: text(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.caller, table.key] })],
)

export const modules = sqliteTable('modules', {
  manifestAddress: text('manifest_address').primaryKey(),
  sha256: text().notNull(),
  name: text().notNull(),
  language: text().notNull(),
  functions: text({ mode: 'json' }).$type<string[]>().notNull(),
  manifest: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  hbcSize: integer('hbc_size').notNull(),
  stateless: integer({ mode: 'boolean' }).notNull(),
  uploader: text().notNull(),
  execCount: integer('exec_count').notNull().default(0),
  deployedAt: integer('deployed_at').notNull(),
})

export const transactions = sqliteTable('transactions', {
  id: text().primaryKey(),
  action: text().notNull(),
  owner: text().notNull(),
  status: text().notNull(),
  txHash: text('tx_hash'),
  error: text(),
  confirmations: integer().notNull().default(0),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  revision: integer().notNull().default(0),
})

export const nodes = sqliteTable('nodes', {
  nodeId: text('node_id').primaryKey(),
  publicKey: text('public_key').notNull().unique(),
  role: text().$type<NodeRole>().notNull(),
  status: text().$type<NodeStatus>().notNull(),
  url: text().notNull(),
  region: text(),
  engine: text(),
  nodectlVersion: text('nodectl_version'),
  capabilities: text({ mode: 'json' }).$type<string[]>(),
  health: text().$type<NodeHealth>(),
  lastHeartbeatAt: integer('last_heartbeat_at'),
  registeredAt: integer('registered_at').notNull(),
  updatedAt: integer('updated_at'),
  revokedAt: integer('revoked_at'),
})

export const validatorGenerations = sqliteTable('validator_generations', {
  generation: integer().primaryKey(),
  effectiveAt: integer('effective_at').notNull(),
  prevHash: text('prev_hash').notNull().unique(),
  hash: text().notNull().unique(),
  document: text().notNull(),
  coordinator: text().notNull(),
  signatures: text().notNull(),
  madeAt: integer('made_at').notNull(),
  wholeAt: integer('whole_at').notNull(),
})

export const pendingGenerations = sqliteTable('pending_generations', {
  generation: integer().primaryKey(),
  hash: text().notNull().unique(),
  document: text().notNull(),
  madeAt: integer('made_at').notNull(),
  attempts: integer().notNull(),
  nextAttemptAt: integer('next_attempt_at').notNull(),
  renewals: integer().notNull().default(0),
})

export const pendingGenerationSignatures = sqliteTable(
  'pending_generation_signatures',
  {
    hash: text().notNull(),
    publicKey: text('public_key').notNull(),
    signature: text().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hash, table.publicKey] })],
)

export const bindings = sqliteTable('bindings', {
  bindingHash: text('binding_hash').primaryKey(),
  action: text().$type<'bind' | 'unbind'>().notNull(),
  nodeId: text('node_id').notNull(),
  publicKey: text('public_key').notNull(),
  owner: text().notNull(),
  message: text().notNull(),
  issuedAt: integer('issued_at').notNull(),
  nonce: text().notNull(),
  ownerSignature: text('owner_signature'),
  nodeSignature: text('node_signature'),
  acceptedAt: integer('accepted_at').notNull(),
})

export const devices = sqliteTable('devices', {
  nodeId: text('node_id').primaryKey(),
  publicKey: text('public_key').notNull().unique(),
  owner: text().notNull(),
  bindingHash: text('binding_hash').notNull(),
  boundAt: integer('bound_at').notNull(),
  unbindingHash: text('unbinding_hash'),
  unboundAt: integer('unbound_at'),
  label: text(),
  class: text().$type<(typeof deviceClasses)[number]>(),
  platform: text(),
  osVersion: text('os_version'),
  arch: text(),
  engine: text().$type<(typeof engines)[number]>(),
  nodectlVersion: text('nodectl_version'),
  hardware: text({ mode: 'json' }).$type<Hardware>(),
  benchmark: text({ mode: 'json' }).$type<Benchmark>(),
  profileUpdatedAt: integer('profile_updated_at'),
  linkState: text('link_state').$type<'online' | 'idle' | 'offline'>().notNull().default('offline'),
  linkRevision: integer('link_revision').notNull().default(0),
  connectedSince: integer('connected_since'),
  freeSlots: integer('free_slots').notNull().default(0),
  voteFaultAt: integer('vote_fault_at'),
  benchmarkFaultAt: integer('benchmark_fault_at'),
  bannedAt: integer('banned_at'),
  banReason: text('ban_reason'),
})

export const relayTotals = sqliteTable('relay_totals', {
  id: integer().primaryKey(),
  connectedDevices: integer('connected_devices').notNull(),
  availableSlots: integer('available_slots').notNull(),
})

export const subscriptions = sqliteTable('subscriptions', {
  subscriptionId: text('subscription_id').primaryKey(),
  projectId: text('project_id').notNull(),
  owner: text().notNull(),
  nodeId: text('node_id').notNull(),
  nodeKey: text('node_key').notNull(),
  closings: integer().notNull(),
  pausedAt: integer('paused_at'),
  /** What the project asks for. */
  minCollateral: text('min_collateral').notNull(),
  /** Whether the device is bound to the owner. */
  deviceBound: integer('device_bound', { mode: 'boolean' }).notNull(),
  reputation: integer().notNull(),
  creditedRounds: integer('credited_rounds').notNull(),
  missedLeases: integer('missed_leases').notNull(),
  disagreements: integer().notNull(),
  lastProofAt: integer('last_proof_at'),
  createdAt: integer('created_at').notNull(),
})

export const faucetSettings = sqliteTable('faucet_settings', {
  id: integer().primaryKey(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  amountWei: text('amount_wei'),
  nativeWei: text('native_wei'),
  updatedAt: integer('updated_at').notNull(),
})

export const auditLog = sqliteTable('audit_log', {
  entry: integer().primaryKey(),
  operator: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  reason: text(),
  before: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  after: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const projects = sqliteTable('projects', {
  projectId: text('project_id').primaryKey(),
  ordinal: integer(),
  developer: text().notNull(),
  developerName: text('developer_name'),
  developerVerified: integer('developer_verified', { mode: 'boolean' }).notNull(),
  slug: text().notNull(),
  category: text().$type<Listing['category']>().notNull(),
  listingStatus: text('listing_status').$type<ListingStatus>().notNull(),
  version: integer().notNull(),
  manifestHash: text('manifest_hash').notNull(),
  consensusHash: text('consensus_hash').notNull(),
  name: text().notNull(),
  nameKey: text('name_key').notNull(),
  tagline: text().notNull(),
  tags: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  icon: text().notNull(),
  accentColor: text('accent_color'),
  deviceClasses: text('device_classes', { mode: 'json' })
    .$type<readonly (typeof deviceClasses)[number][]>()
    .notNull(),
  classMask: integer('class_mask').notNull(),
  token: text({ mode: 'json' }).$type<Token>().notNull(),
  vault: text().notNull(),
  rewardModel: text('reward_model').$type<Economics['reward_model']>().notNull(),
  minCollateral: text('min_collateral').notNull(),
  reviewStatus: text('review_status').$type<ReviewStatus>().notNull(),
  reviewReason: text('review_reason'),
  reviewConditions: text('review_conditions', { mode: 'json' }).$type<readonly string[]>().notNull(),
  reviewedAt: integer('reviewed_at'),
  listedAt: integer('listed_at'),
  featured: integer({ mode: 'boolean' }).notNull(),
  miners: integer().notNull(),
  devicesByClass: text('devices_by_class', { mode: 'json' }).$type<Record<string, number>>().notNull(),
  avgDailyReward: text('avg_daily_reward').notNull(),
  earningsKey: text('earnings_key').notNull(),
  ratingSum: integer('rating_sum').notNull(),
  ratingCount: integer('rating_count').notNull(),
  ratingX100: integer('rating_x100').notNull(),
  trendingScore: integer('trending_score').notNull(),
  lastSettledAt: integer('last_settled_at'),
  createdAt: integer('created_at').notNull(),
})

export const categoryCounts = sqliteTable('category_counts', {
  category: text().primaryKey(),
  listed: integer().notNull(),
})

export const reviews = sqliteTable('reviews', {
  reviewId: text('review_id').primaryKey(),
  projectId: text('project_id').notNull(),
  author: text().notNull(),
  rating: integer().notNull(),
  comment: text().notNull(),
  helpful: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const reviewVotes = sqliteTable(
  'review_votes',
  {
    reviewId: text('review_id').notNull(),
    voter: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.reviewId, table.voter] })],
)

export const projectEpochs = sqliteTable(
  'project_epochs',
  {
    projectId: text('project_id').notNull(),
    seq: integer().notNull(),
    epoch: integer().notNull(),
    startsAt: integer('starts_at').notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    settledAt: integer('settled_at').notNull(),
    rounds: integer().notNull(),
    roundsFinalized: integer('rounds_finalized').notNull(),
    roundsFallback: integer('rounds_fallback').notNull(),
    units: integer().notNull(),
    miners: integer().notNull(),
    paid: text().notNull(),
    medianFinalityMs: integer('median_finality_ms'),
    uptimeBp: integer('uptime_bp'),
    slashes: integer().notNull(),
    totalRounds: integer('total_rounds').notNull(),
    totalFinalized: integer('total_finalized').notNull(),
    totalFallback: integer('total_fallback').notNull(),
    totalUnits: integer('total_units').notNull(),
    totalPaid: text('total_paid').notNull(),
    totalSlashes: integer('total_slashes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.seq] })],
)

export const projectMiners = sqliteTable(
  'project_miners',
  {
    projectId: text('project_id').notNull(),
    miner: text().notNull(),
    rounds: integer().notNull(),
    units: integer().notNull(),
    earned: text().notNull(),
    firstCreditedAt: integer('first_credited_at').notNull(),
    lastCreditedAt: integer('last_credited_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.miner] })],
)

export const assets = sqliteTable('assets', {
  sha256: text().primaryKey(),
  contentType: text('content_type').notNull(),
  bytes: integer().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  uploader: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const projectVersions = sqliteTable('project_versions', {
  id: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  version: integer().notNull(),
  status: text().$type<(typeof versionStates)[number]>().notNull(),
  manifestHash: text('manifest_hash').notNull(),
  consensusHash: text('consensus_hash').notNull(),
  manifest: text().notNull(),
  signature: text().notNull(),
  token: text({ mode: 'json' }).$type<Token>().notNull(),
  tiersChanged: text('tiers_changed', { mode: 'json' }).$type<readonly Tier[]>().notNull(),
  boundarySecs: integer('boundary_secs').notNull(),
  epochSecs: integer('epoch_secs').notNull(),
  submittedAt: integer('submitted_at').notNull(),
  publishTx: text('publish_tx'),
  publishedAt: integer('published_at'),
  effectiveEpoch: integer('effective_epoch'),
  effectiveAt: integer('effective_at'),
})

export const preferences = sqliteTable('preferences', {
  address: text().primaryKey(),
  preferences: text({ mode: 'json' }).$type<object>().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const developers = sqliteTable('developers', {
  address: text().primaryKey(),
  enrollment: text().$type<'draft' | 'pending' | 'active' | 'rejected'>().notNull(),
  verification: text().$type<'unverified' | 'pending' | 'verified' | 'rejected'>().notNull(),
  developerType: text('developer_type').$type<'individual' | 'organization'>(),
  displayName: text('display_name').notNull(),
  bio: text(),
  website: text(),
  logo: text(),
  location: text(),
  email: text(),
  social: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  reason: text(),
  agreementsAcceptedAt: integer('agreements_accepted_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const drafts = sqliteTable(
  'drafts',
  {
    owner: text().notNull(),
    draftId: text('draft_id').notNull(),
    currentStep: integer('current_step').notNull(),
    projectId: text('project_id'),
    data: text().notNull(),
    revision: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.draftId] })],
)

export const chainCursor = sqliteTable('chain_cursor', {
  id: integer().primaryKey(),
  blockNumber: integer('block_number').notNull(),
  blockHash: text('block_hash').notNull(),
  finalNumber: integer('final_number').notNull(),
  finalHash: text('final_hash').notNull(),
  updatedAt: integer('updated_at').notNull(),
  network: text({ mode: 'json' }).$type<Record<string, string | number>>().notNull(),
  leadSecs: integer('lead_secs').notNull().default(0),
  isBehind: integer('is_behind', { mode: 'boolean' }).notNull().default(false),
  logDifferences: integer('log_differences').notNull().default(0),
  sweptNumber: integer('swept_number').notNull().default(-1),
  sweptLog: integer('swept_log').notNull().default(-1),
})

export const chainUnconfirmedLogs = sqliteTable('chain_unconfirmed_logs', {
  blockNumber: integer('block_number').primaryKey(),
  blockHash: text('block_hash').notNull(),
  logIndexes: text('log_indexes').notNull(),
})

export const beacons = sqliteTable(
  'beacons',
  {
    epochSecs: integer('epoch_secs').notNull(),
    epoch: integer().notNull(),
    blockNumber: integer('block_number').notNull(),
    blockHash: text('block_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.epochSecs, table.epoch] })],
)

export const committeeSets = sqliteTable(
  'committee_sets',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    setHash: text('set_hash').notNull(),
    bytes: integer().notNull(),
    entries: integer().notNull(),
    committee: text({ mode: 'json' })
      .$type<Pick<CommitteeRules, 'size' | 'min_size' | 'backups'>>()
      .notNull(),
    builtAt: integer('built_at').notNull(),
    attestedAt: integer('attested_at'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const epochsWithoutSet = sqliteTable(
  'epochs_without_set',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    notedAt: integer('noted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const committeeSetAttestations = sqliteTable(
  'committee_set_attestations',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    publicKey: text('public_key').notNull(),
    signature: text().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch, table.publicKey] })],
)

export const chainBlocks = sqliteTable('chain_blocks', {
  number: integer().primaryKey(),
  hash: text().notNull(),
  parentHash: text('parent_hash').notNull(),
  timestamp: integer().notNull(),
})

export const chainEvents = sqliteTable(
  'chain_events',
  {
    blockHash: text('block_hash').notNull(),
    logIndex: integer('log_index').notNull(),
    blockNumber: integer('block_number').notNull(),
    blockTime: integer('block_time').notNull(),
    txHash: text('tx_hash').notNull(),
    contract: text().notNull(),
    name: text().notNull(),
    args: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    provisional: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.blockHash, table.logIndex] })],
)

export const chainStatesBefore = sqliteTable(
  'chain_states_before',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    blockNumber: integer('block_number').notNull(),
    state: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    owner: text(),
    stateBlockNumber: integer('state_block_number'),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject, table.blockNumber] })],
)

export const chainStates = sqliteTable(
  'chain_states',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    state: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    owner: text(),
    blockNumber: integer('block_number').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] })],
)

export const deadLetters = sqliteTable('dead_letters', {
  messageId: text('message_id').primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  attempts: integer().notNull(),
  diedAt: integer('died_at').notNull(),
  resolvedAt: integer('resolved_at'),
  resolution: text().$type<'resent' | 'closed' | 'done'>(),
})

/** What the hub itself wants on the chain. */
export type HubActionKind =
  | 'set_listing_status'
  | 'propose_slash'
  | 'dispute_slash'
  | 'execute_slash'
  | 'end_dispute'
  | 'void_slash'
  | 'cancel_slash'
  | 'uphold_slash'
  | 'post_epoch'
  | 'pay_fees'
  | 'set_veto'
  | 'set_posting_pause'
  | 'claim_payouts'

export const hubActions = sqliteTable(
  'hub_actions',
  {
    kind: text().$type<HubActionKind>().notNull(),
    subject: text().notNull(),
    wanted: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    revision: integer().notNull(),
    state: text().$type<'open' | 'done' | 'closed'>().notNull(),
    attempts: integer().notNull(),
    nextAttemptAt: integer('next_attempt_at').notNull(),
    lastError: text('last_error'),
    wantedAt: integer('wanted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] })],
)

export const slashes = sqliteTable('slashes', {
  evidenceHash: text('evidence_hash').primaryKey(),
  offenceId: text('offence_id').notNull(),
  kind: text().$type<Offence>().notNull(),
  projectId: text('project_id').notNull(),
  roundId: text('round_id').notNull(),
  subscriptionId: text('subscription_id').notNull(),
  owner: text().notNull(),
  nodeId: text('node_id').notNull(),
  bp: integer().notNull(),
  amount: text().notNull(),
  evidence: text(),
  status: text().$type<(typeof slashStates)[number]>().notNull(),
  closedReason: text('closed_reason').$type<'no_penalty' | 'no_collateral' | 'given_up'>(),
  disputeReason: text('dispute_reason'),
  disputeLinks: text('dispute_links', { mode: 'json' }).$type<readonly string[]>(),
  disputeFiledAt: integer('dispute_filed_at'),
  decision: text().$type<'cancel' | 'uphold'>(),
  decidedAt: integer('decided_at'),
  createdAt: integer('created_at').notNull(),
})

export const epochReceipts = sqliteTable(
  'epoch_receipts',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    startsAt: integer('starts_at').notNull(),
    vault: text().notNull(),
    consensusHash: text('consensus_hash').notNull(),
    receiptHash: text('receipt_hash').notNull(),
    merkleRoot: text('merkle_root').notNull(),
    token: text({ mode: 'json' }).$type<Token>().notNull(),
    totals: text({ mode: 'json' }).$type<RewardTotals>().notNull(),
    recipients: integer().notNull(),
    leaves: integer().notNull(),
    attestations: integer().notNull(),
    acceptedAt: integer('accepted_at').notNull(),
    state: text().$type<'attested' | 'submitted' | 'underfunded' | 'settled' | 'vetoed'>().notNull(),
    settlement: text().$type<'queued' | 'sent' | 'reverted' | 'failed'>().notNull(),
    error: text(),
    postedTx: text('posted_tx'),
    postedBlock: integer('posted_block'),
    postedAt: integer('posted_at'),
    releaseAt: integer('release_at'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const epochShares = sqliteTable(
  'epoch_shares',
  {
    miner: text().notNull(),
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    endsAt: integer('ends_at').notNull().default(0),
    units: integer().notNull(),
    amount: text().notNull(),
    leaf: integer(),
    withdrawalId: text('withdrawal_id'),
    claimedAt: integer('claimed_at'),
    claimedTx: text('claimed_tx'),
  },
  (table) => [primaryKey({ columns: [table.miner, table.projectId, table.epoch] })],
)

export const withdrawals = sqliteTable('withdrawals', {
  withdrawalId: text('withdrawal_id').primaryKey(),
  kind: text().$type<'claim' | 'collateral'>().notNull(),
  account: text().notNull(),
  amount: text().notNull(),
  token: text({ mode: 'json' }).$type<Token>().notNull(),
  requestedAt: integer('requested_at').notNull(),
  projectId: text('project_id'),
  vault: text(),
  epochs: text({ mode: 'json' }).$type<readonly number[]>().notNull(),
  unpaid: integer().notNull(),
  subscriptionId: text('subscription_id'),
  state: text().$type<'open' | 'completed' | 'failed'>().notNull(),
  relayId: text('relay_id'),
  txHash: text('tx_hash'),
  completedAt: integer('completed_at'),
  error: text(),
})

export const earningDays = sqliteTable(
  'earning_days',
  {
    miner: text().notNull(),
    day: integer().notNull(),
    projectId: text('project_id').notNull(),
    token: text({ mode: 'json' }).$type<Token>().notNull(),
    units: integer().notNull(),
    part0: integer('part_0').notNull(),
    part1: integer('part_1').notNull(),
    part2: integer('part_2').notNull(),
    part3: integer('part_3').notNull(),
    part4: integer('part_4').notNull(),
    part5: integer('part_5').notNull(),
  },
  (table) => [primaryKey({ columns: [table.miner, table.day, table.projectId, table.token] })],
)

export const tasks = sqliteTable('tasks', {
  taskId: text('task_id').primaryKey(),
  projectId: text('project_id').notNull(),
  roundId: text('round_id'),
  function: text().notNull(),
  gasLimit: integer('gas_limit').notNull(),
  inputHash: text('input_hash').notNull(),
  error: text().$type<'no_attested_snapshot'>(),
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
  error: text().$type<RoundFailure>(),
})

export const earlyEvidence = sqliteTable('early_evidence', {
  offenceId: text('offence_id').primaryKey(),
  roundId: text('round_id').notNull(),
  evidence: text({ mode: 'json' }).$type<Evidence>().notNull(),
  receivedAt: integer('received_at').notNull(),
})

export const directRounds = sqliteTable('direct_rounds', {
  roundId: text('round_id').primaryKey(),
  endedAt: integer('ended_at').notNull(),
  bytes: integer().notNull(),
})

export const leases = sqliteTable(
  'leases',
  {
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
  },
  (table) => [primaryKey({ columns: [table.roundId, table.position] })],
)

/** What rounds of a project pay for, as `consensus.economics` of its version has it, with the token and the epoch's length. */
export type EpochTerms = Economics & { token: Token; epoch_secs: number }

export const epochRounds = sqliteTable(
  'epoch_rounds',
  {
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
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const epochCredits = sqliteTable(
  'epoch_credits',
  {
    miner: text().notNull(),
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    endsAt: integer('ends_at').notNull(),
    rounds: integer().notNull(),
    units: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.miner, table.projectId, table.epoch] })],
)

export const proofHours = sqliteTable(
  'proof_hours',
  {
    owner: text().notNull(),
    projectId: text('project_id').notNull(),
    hour: integer().notNull(),
    verified: integer().notNull(),
    finalityMs: integer('finality_ms').notNull(),
    disagreed: integer().notNull(),
    invalidVote: integer('invalid_vote').notNull(),
    late: integer().notNull(),
    missed: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.projectId, table.hour] })],
)

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

export const roundOffences = sqliteTable('round_offences', {
  roundId: text('round_id').primaryKey(),
  attempts: integer().notNull(),
  nextAttemptAt: integer('next_attempt_at').notNull(),
})
