import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const announcementTypes = ['update', 'maintenance', 'feature', 'alert'] as const
export const reportCategories = ['scam', 'malware', 'economics', 'impersonation', 'spam', 'other'] as const
export const reportSeverities = ['low', 'medium', 'high'] as const
export const collectionKinds = ['editors_picks', 'dao_curated'] as const

export const announcements = sqliteTable('announcements', {
  announcementId: text('announcement_id').primaryKey(),
  projectId: text('project_id').notNull(),
  title: text().notNull(),
  content: text().notNull(),
  type: text().$type<(typeof announcementTypes)[number]>().notNull(),
  author: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const projectReports = sqliteTable('project_reports', {
  reportId: text('report_id').primaryKey(),
  projectId: text('project_id').notNull(),
  reporter: text().notNull(),
  category: text().$type<(typeof reportCategories)[number]>().notNull(),
  severity: text().$type<(typeof reportSeverities)[number]>().notNull(),
  reason: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const collections = sqliteTable('collections', {
  id: text().primaryKey(),
  kind: text().$type<(typeof collectionKinds)[number]>().notNull(),
  title: text().notNull(),
  description: text(),
  projectIds: text('project_ids', { mode: 'json' }).$type<readonly string[]>().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const simulations = sqliteTable('simulations', {
  simulationId: text('simulation_id').primaryKey(),
  projectId: text('project_id').notNull(),
  requests: text(),
  status: text().$type<'running' | 'passed' | 'failed'>().notNull(),
  results: text().notNull(),
  logs: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  startedAt: integer('started_at').notNull(),
  completedAt: integer('completed_at'),
  claimedUntil: integer('claimed_until').notNull(),
  attempts: integer().notNull(),
})
