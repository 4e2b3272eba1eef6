import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { RewardTotals } from '../../../protocol/earnings/index.ts'
import type { Token } from './token.ts'

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
