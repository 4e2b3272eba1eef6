import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

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

export const deadLetters = sqliteTable('dead_letters', {
  messageId: text('message_id').primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  attempts: integer().notNull(),
  diedAt: integer('died_at').notNull(),
  resolvedAt: integer('resolved_at'),
  resolution: text().$type<'resent' | 'closed' | 'done'>(),
})

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

export const hubActions = keyedTable('hub_actions', ['kind', 'subject'], {
  kind: text().$type<HubActionKind>().notNull(),
  subject: text().notNull(),
  wanted: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  revision: integer().notNull(),
  state: text().$type<'open' | 'done' | 'closed'>().notNull(),
  attempts: integer().notNull(),
  nextAttemptAt: integer('next_attempt_at').notNull(),
  lastError: text('last_error'),
  wantedAt: integer('wanted_at').notNull(),
})
