import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

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

export const pendingGenerationSignatures = keyedTable(
  'pending_generation_signatures',
  ['hash', 'publicKey'],
  {
    hash: text().notNull(),
    publicKey: text('public_key').notNull(),
    signature: text().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
)
