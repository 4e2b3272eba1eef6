import { integer, text } from 'drizzle-orm/sqlite-core'
import type { CommitteeRules } from '../../../protocol/manifest/index.ts'
import { keyedTable } from './keyed-table.ts'

export const committeeSets = keyedTable('committee_sets', ['projectId', 'epoch'], {
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  epochSecs: integer('epoch_secs').notNull(),
  setHash: text('set_hash').notNull(),
  bytes: integer().notNull(),
  entries: integer().notNull(),
  committee: text({ mode: 'json' }).$type<Pick<CommitteeRules, 'size' | 'min_size' | 'backups'>>().notNull(),
  builtAt: integer('built_at').notNull(),
  attestedAt: integer('attested_at'),
  filed: integer(),
})

export const epochsWithoutSet = keyedTable('epochs_without_set', ['projectId', 'epoch'], {
  projectId: text('project_id').notNull(),
  epoch: integer().notNull(),
  epochSecs: integer('epoch_secs').notNull(),
  notedAt: integer('noted_at').notNull(),
})

export const committeeSetAttestations = keyedTable(
  'committee_set_attestations',
  ['projectId', 'epoch', 'publicKey'],
  {
    projectId: text('project_id').notNull(),
    epoch: integer().notNull(),
    publicKey: text('public_key').notNull(),
    signature: text().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
)
