import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const modules = sqliteTable('modules', {
  manifestAddress: text('manifest_address').primaryKey(),
  sha256: text().notNull(),
  name: text().notNull(),
  language: text().notNull(),
  functions: text({ mode: 'json' }).$type<string[]>().notNull(),
  manifest: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  hbcSize: integer('hbc_size').notNull(),
  stateless: integer({ mode: 'boolean' }).notNull(),
  uploader: text().notNull(),
  execCount: integer('exec_count').notNull().default(0),
  deployedAt: integer('deployed_at').notNull(),
})

export const assets = sqliteTable('assets', {
  sha256: text().primaryKey(),
  contentType: text('content_type').notNull(),
  bytes: integer().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  uploader: text().notNull(),
  createdAt: integer('created_at').notNull(),
})
