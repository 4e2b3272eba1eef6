import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Token } from './token.ts'

/** By the number of a UTC day: credited units, answered leases and asked ones. */
export type WorkDays = Record<string, readonly [units: number, answered: number, asked: number]>

export const subscriptions = sqliteTable('subscriptions', {
  subscriptionId: text('subscription_id').primaryKey(),
  projectId: text('project_id').notNull(),
  owner: text().notNull(),
  nodeId: text('node_id').notNull(),
  nodeKey: text('node_key').notNull(),
  closings: integer().notNull(),
  pausedAt: integer('paused_at'),
  minCollateral: text('min_collateral').notNull().default('0'),
  deviceBound: integer('device_bound', { mode: 'boolean' }).notNull().default(false),
  reputation: integer().notNull(),
  creditedRounds: integer('credited_rounds').notNull(),
  missedLeases: integer('missed_leases').notNull(),
  disagreements: integer().notNull(),
  lastProofAt: integer('last_proof_at'),
  createdAt: integer('created_at').notNull(),
  units: integer().notNull().default(0),
  days: text({ mode: 'json' }).$type<WorkDays>().notNull().default({}),
  projectName: text('project_name').notNull().default(''),
  token: text({ mode: 'json' }).$type<Token>(),
})
