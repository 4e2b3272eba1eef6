import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

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

export const beacons = keyedTable('beacons', ['epochSecs', 'epoch'], {
  epochSecs: integer('epoch_secs').notNull(),
  epoch: integer().notNull(),
  blockNumber: integer('block_number').notNull(),
  blockHash: text('block_hash').notNull(),
})

export const chainBlocks = sqliteTable('chain_blocks', {
  number: integer().primaryKey(),
  hash: text().notNull(),
  parentHash: text('parent_hash').notNull(),
  timestamp: integer().notNull(),
})

export const chainEvents = keyedTable('chain_events', ['blockHash', 'logIndex'], {
  blockHash: text('block_hash').notNull(),
  logIndex: integer('log_index').notNull(),
  blockNumber: integer('block_number').notNull(),
  blockTime: integer('block_time').notNull(),
  txHash: text('tx_hash').notNull(),
  contract: text().notNull(),
  name: text().notNull(),
  args: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  provisional: integer({ mode: 'boolean' }).notNull(),
})

export const chainStatesBefore = keyedTable('chain_states_before', ['kind', 'subject', 'blockNumber'], {
  kind: text().notNull(),
  subject: text().notNull(),
  blockNumber: integer('block_number').notNull(),
  state: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  owner: text(),
  stateBlockNumber: integer('state_block_number'),
})

export const chainStates = keyedTable('chain_states', ['kind', 'subject'], {
  kind: text().notNull(),
  subject: text().notNull(),
  state: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  owner: text(),
  blockNumber: integer('block_number').notNull(),
})
