import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type {
  deviceClasses,
  Economics,
  Listing,
  ListingStatus,
  ReviewStatus,
  Tier,
  versionStates,
} from '../../../protocol/manifest/index.ts'
import { keyedTable } from './keyed-table.ts'
import type { Token } from './token.ts'

export const projects = sqliteTable('projects', {
  projectId: text('project_id').primaryKey(),
  ordinal: integer(),
  developer: text().notNull(),
  developerName: text('developer_name'),
  developerVerified: integer('developer_verified', { mode: 'boolean' }).notNull(),
  slug: text().notNull(),
  category: text().$type<Listing['category']>().notNull(),
  listingStatus: text('listing_status').$type<ListingStatus>().notNull(),
  version: integer().notNull(),
  manifestHash: text('manifest_hash').notNull(),
  consensusHash: text('consensus_hash').notNull(),
  name: text().notNull(),
  nameKey: text('name_key').notNull(),
  tagline: text().notNull(),
  tags: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  icon: text().notNull(),
  accentColor: text('accent_color'),
  deviceClasses: text('device_classes', { mode: 'json' })
    .$type<readonly (typeof deviceClasses)[number][]>()
    .notNull(),
  classMask: integer('class_mask').notNull(),
  token: text({ mode: 'json' }).$type<Token>().notNull(),
  vault: text().notNull(),
  rewardModel: text('reward_model').$type<Economics['reward_model']>().notNull(),
  minCollateral: text('min_collateral').notNull(),
  reviewStatus: text('review_status').$type<ReviewStatus>().notNull(),
  reviewReason: text('review_reason'),
  reviewConditions: text('review_conditions', { mode: 'json' }).$type<readonly string[]>().notNull(),
  reviewedAt: integer('reviewed_at'),
  listedAt: integer('listed_at'),
  featured: integer({ mode: 'boolean' }).notNull(),
  miners: integer().notNull(),
  devicesByClass: text('devices_by_class', { mode: 'json' }).$type<Record<string, number>>().notNull(),
  avgDailyReward: text('avg_daily_reward').notNull(),
  earningsKey: text('earnings_key').notNull(),
  ratingSum: integer('rating_sum').notNull(),
  ratingCount: integer('rating_count').notNull(),
  ratingX100: integer('rating_x100').notNull(),
  trendingScore: integer('trending_score').notNull(),
  lastSettledAt: integer('last_settled_at'),
  createdAt: integer('created_at').notNull(),
})

export const categoryCounts = sqliteTable('category_counts', {
  category: text().primaryKey(),
  listed: integer().notNull(),
})

export const reviews = sqliteTable('reviews', {
  reviewId: text('review_id').primaryKey(),
  projectId: text('project_id').notNull(),
  author: text().notNull(),
  rating: integer().notNull(),
  comment: text().notNull(),
  helpful: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const reviewVotes = keyedTable('review_votes', ['reviewId', 'voter'], {
  reviewId: text('review_id').notNull(),
  voter: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const projectVersions = sqliteTable('project_versions', {
  id: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  version: integer().notNull(),
  status: text().$type<(typeof versionStates)[number]>().notNull(),
  manifestHash: text('manifest_hash').notNull(),
  consensusHash: text('consensus_hash').notNull(),
  manifest: text().notNull(),
  signature: text().notNull(),
  token: text({ mode: 'json' }).$type<Token>().notNull(),
  tiersChanged: text('tiers_changed', { mode: 'json' }).$type<readonly Tier[]>().notNull(),
  boundarySecs: integer('boundary_secs').notNull(),
  epochSecs: integer('epoch_secs').notNull(),
  submittedAt: integer('submitted_at').notNull(),
  publishTx: text('publish_tx'),
  publishedAt: integer('published_at'),
  effectiveEpoch: integer('effective_epoch'),
  effectiveAt: integer('effective_at'),
})
