import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Evidence, Offence, slashStates } from '../../../protocol/slashing/index.ts'

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

export const earlyEvidence = sqliteTable('early_evidence', {
  offenceId: text('offence_id').primaryKey(),
  roundId: text('round_id').notNull(),
  evidence: text({ mode: 'json' }).$type<Evidence>().notNull(),
  receivedAt: integer('received_at').notNull(),
})

export const roundOffences = sqliteTable('round_offences', {
  roundId: text('round_id').primaryKey(),
  attempts: integer().notNull(),
  nextAttemptAt: integer('next_attempt_at').notNull(),
})
