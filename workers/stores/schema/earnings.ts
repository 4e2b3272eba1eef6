import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { RewardTotals } from '../../../protocol/earnings/index.ts'
import { keyedTable } from './keyed-table.ts'
import type { Token } from './token.ts'

export const projectEpochs = keyedTable('project_epochs', ['projectId', 'seq'], {
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
})

export const projectMiners = keyedTable('project_miners', ['projectId', 'miner'], {
  projectId: text('project_id').notNull(),
  miner: text().notNull(),
  rounds: integer().notNull(),
  units: integer().notNull(),
  earned: text().notNull(),
  firstCreditedAt: integer('first_credited_at').notNull(),
  lastCreditedAt: integer('last_credited_at').notNull(),
})

export const epochReceipts = keyedTable('epoch_receipts', ['projectId', 'epoch'], {
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
})

export const epochShares = keyedTable('epoch_shares', ['miner', 'projectId', 'epoch'], {
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
})

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

export const earningDays = keyedTable('earning_days', ['miner', 'day', 'projectId', 'token'], {
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
})
