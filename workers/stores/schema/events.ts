import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

export const eventLog = sqliteTable('event_log', {
  id: integer().primaryKey(),
  at: integer().notNull(),
  total: integer().notNull(),
  keys: text().notNull(),
  body: text().notNull(),
})

export const eventFollowers = sqliteTable('event_followers', {
  shard: integer().primaryKey(),
  until: integer().notNull(),
})

export const notifications = sqliteTable('notifications', {
  id: integer().primaryKey(),
  owner: text().notNull(),
  at: integer().notNull(),
  isRead: integer('is_read', { mode: 'boolean' }).notNull().default(false),
  body: text().notNull(),
})

export const notificationCounts = sqliteTable('notification_counts', {
  owner: text().primaryKey(),
  unread: integer().notNull(),
  readTo: integer('read_to').notNull(),
})

export const payoutsToTell = keyedTable('payouts_to_tell', ['dueAt', 'projectId', 'epoch'], {
  dueAt: integer('due_at').notNull(),
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  told: integer().notNull().default(0),
})

export const toldBlocks = sqliteTable('told_blocks', {
  id: integer().primaryKey(),
  blockNumber: integer('block_number').notNull(),
})
