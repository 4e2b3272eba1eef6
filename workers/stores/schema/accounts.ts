import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

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

export const nodeRequestNonces = keyedTable('node_request_nonces', ['publicKey', 'nonce'], {
  publicKey: text('public_key').notNull(),
  nonce: text().notNull(),
  expiresAt: integer('expires_at').notNull(),
})

export const idempotencyKeys = keyedTable('idempotency_keys', ['caller', 'key'], {
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
})

export const preferences = sqliteTable('preferences', {
  address: text().primaryKey(),
  preferences: text({ mode: 'json' }).$type<object>().notNull(),
  updatedAt: integer('updated_at').notNull(),
})
