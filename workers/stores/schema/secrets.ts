import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const hubSecrets = sqliteTable('hub_secrets', {
  name: text().primaryKey(),
  fingerprint: text().notNull(),
  seenAt: integer('seen_at').notNull(),
})
