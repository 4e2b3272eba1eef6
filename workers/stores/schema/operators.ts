import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const faucetSettings = sqliteTable('faucet_settings', {
  id: integer().primaryKey(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  amountWei: text('amount_wei'),
  nativeWei: text('native_wei'),
  updatedAt: integer('updated_at').notNull(),
  cooldownSecs: integer('cooldown_secs'),
})

export const auditLog = sqliteTable('audit_log', {
  entry: integer().primaryKey(),
  operator: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  reason: text(),
  before: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  after: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const lastBackup = sqliteTable('last_backup', {
  id: integer().primaryKey(),
  madeAt: integer('made_at').notNull(),
})

export const lastRestore = sqliteTable('last_restore', {
  id: integer().primaryKey(),
  resumedAt: integer('resumed_at').notNull(),
})

export const hubAlarms = sqliteTable('hub_alarms', {
  name: text().primaryKey(),
  since: integer().notNull(),
  message: text().notNull(),
  operators: text({ mode: 'json' }).$type<string[]>().notNull(),
})
