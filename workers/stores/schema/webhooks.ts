import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventType } from '../../../durable-objects/events/types.ts'
import { keyedTable } from './keyed-table.ts'

export const webhookStates = ['active', 'disabled'] as const
export const disabledReasons = ['owner', 'failing'] as const
export const deliveryStates = ['pending', 'delivered', 'failed', 'gap'] as const

export interface SealedSecret {
  sealed: string
  createdAt: number
  /** Null for the newest. */
  expiresAt: number | null
}

/** One try to deliver. */
export interface Attempt {
  at: number
  durationMs: number
  /** Null without an answer. */
  status: number | null
  /** The beginning of the answer, in at most 1 KiB of JSON. */
  answer: string | null
  error: string | null
}

export const webhooks = sqliteTable('webhooks', {
  webhookId: text('webhook_id').primaryKey(),
  owner: text().notNull(),
  url: text().notNull(),
  types: text({ mode: 'json' }).$type<readonly EventType[]>().notNull(),
  projectIds: text('project_ids', { mode: 'json' }).$type<readonly string[]>(),
  state: text().$type<(typeof webhookStates)[number]>().notNull(),
  disabledBecause: text('disabled_because').$type<(typeof disabledReasons)[number]>(),
  secrets: text({ mode: 'json' }).$type<readonly SealedSecret[]>().notNull(),
  createdAt: integer('created_at').notNull(),
  failingSince: integer('failing_since'),
  probeAt: integer('probe_at'),
  isSlow: integer('is_slow', { mode: 'boolean' }).notNull().default(false),
  fromRow: integer('from_row').notNull(),
  deliveries: integer().notNull().default(0),
  nextRow: integer('next_row'),
  nextOffset: integer('next_offset'),
  nextAt: integer('next_at'),
})

export const webhookReader = sqliteTable('webhook_reader', {
  id: integer().primaryKey(),
  row: integer().notNull(),
  version: integer().notNull(),
  active: integer().notNull(),
})

export const webhookDeliveries = keyedTable('webhook_deliveries', ['webhookId', 'number'], {
  webhookId: text('webhook_id').notNull(),
  number: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  state: text().$type<(typeof deliveryStates)[number]>().notNull(),
  body: text().notNull(),
  attemptsMade: integer('attempts_made').notNull().default(0),
  attemptsLeft: integer('attempts_left').notNull(),
  dueAt: integer('due_at').notNull(),
  attempts: text({ mode: 'json' }).$type<readonly Attempt[]>().notNull().default([]),
})
