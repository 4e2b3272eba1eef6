import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { CommitteeRules } from '../../../protocol/manifest/index.ts'

export const committeeSets = sqliteTable(
  'committee_sets',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    setHash: text('set_hash').notNull(),
    bytes: integer().notNull(),
    entries: integer().notNull(),
    committee: text({ mode: 'json' })
      .$type<Pick<CommitteeRules, 'size' | 'min_size' | 'backups'>>()
      .notNull(),
    builtAt: integer('built_at').notNull(),
    attestedAt: integer('attested_at'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const epochsWithoutSet = sqliteTable(
  'epochs_without_set',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    epochSecs: integer('epoch_secs').notNull(),
    notedAt: integer('noted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch] })],
)

export const committeeSetAttestations = sqliteTable(
  'committee_set_attestations',
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    publicKey: text('public_key').notNull(),
    signature: text().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.epoch, table.publicKey] })],
)
