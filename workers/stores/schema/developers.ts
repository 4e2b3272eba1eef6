import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from './keyed-table.ts'

export const developers = sqliteTable('developers', {
  address: text().primaryKey(),
  enrollment: text().$type<'draft' | 'pending' | 'active' | 'rejected'>().notNull(),
  verification: text().$type<'unverified' | 'pending' | 'verified' | 'rejected'>().notNull(),
  developerType: text('developer_type').$type<'individual' | 'organization'>(),
  displayName: text('display_name').notNull(),
  bio: text(),
  website: text(),
  logo: text(),
  location: text(),
  email: text(),
  social: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  reason: text(),
  agreementsAcceptedAt: integer('agreements_accepted_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  enrollmentSubmittedAt: integer('enrollment_submitted_at'),
  enrollmentReviewedAt: integer('enrollment_reviewed_at'),
  enrollmentNotes: text('enrollment_notes'),
  verificationRequestedAt: integer('verification_requested_at'),
  verificationReviewedAt: integer('verification_reviewed_at'),
  verificationNotes: text('verification_notes'),
  projects: integer().notNull().default(0),
  miners: integer().notNull().default(0),
})

export const drafts = keyedTable('drafts', ['owner', 'draftId'], {
  owner: text().notNull(),
  draftId: text('draft_id').notNull(),
  currentStep: integer('current_step').notNull(),
  projectId: text('project_id'),
  data: text().notNull(),
  revision: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})
