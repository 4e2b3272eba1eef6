import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NodeHealth, NodeRole, NodeStatus } from '../../../protocol/identity/index.ts'
import type { deviceClasses, engines } from '../../../protocol/manifest/index.ts'
import type { Benchmark, Hardware } from '../device-profile.ts'
import { keyedTable } from './keyed-table.ts'

export const nodes = sqliteTable('nodes', {
  nodeId: text('node_id').primaryKey(),
  publicKey: text('public_key').notNull().unique(),
  role: text().$type<NodeRole>().notNull(),
  status: text().$type<NodeStatus>().notNull(),
  url: text().notNull(),
  region: text(),
  engine: text(),
  nodectlVersion: text('nodectl_version'),
  capabilities: text({ mode: 'json' }).$type<string[]>(),
  health: text().$type<NodeHealth>(),
  lastHeartbeatAt: integer('last_heartbeat_at'),
  registeredAt: integer('registered_at').notNull(),
  updatedAt: integer('updated_at'),
  revokedAt: integer('revoked_at'),
})

export const bindings = sqliteTable('bindings', {
  bindingHash: text('binding_hash').primaryKey(),
  action: text().$type<'bind' | 'unbind'>().notNull(),
  nodeId: text('node_id').notNull(),
  publicKey: text('public_key').notNull(),
  owner: text().notNull(),
  message: text().notNull(),
  issuedAt: integer('issued_at').notNull(),
  nonce: text().notNull(),
  ownerSignature: text('owner_signature'),
  nodeSignature: text('node_signature'),
  acceptedAt: integer('accepted_at').notNull(),
})

export const devices = sqliteTable('devices', {
  nodeId: text('node_id').primaryKey(),
  publicKey: text('public_key').notNull().unique(),
  owner: text().notNull(),
  bindingHash: text('binding_hash').notNull(),
  boundAt: integer('bound_at').notNull(),
  unbindingHash: text('unbinding_hash'),
  unboundAt: integer('unbound_at'),
  label: text(),
  class: text().$type<(typeof deviceClasses)[number]>(),
  platform: text(),
  osVersion: text('os_version'),
  arch: text(),
  engine: text().$type<(typeof engines)[number]>(),
  nodectlVersion: text('nodectl_version'),
  hardware: text({ mode: 'json' }).$type<Hardware>(),
  benchmark: text({ mode: 'json' }).$type<Benchmark>(),
  profileUpdatedAt: integer('profile_updated_at'),
  linkState: text('link_state').$type<'online' | 'idle' | 'offline'>().notNull().default('offline'),
  linkRevision: integer('link_revision').notNull().default(0),
  connectedSince: integer('connected_since'),
  freeSlots: integer('free_slots').notNull().default(0),
  voteFaultAt: integer('vote_fault_at'),
  benchmarkFaultAt: integer('benchmark_fault_at'),
  bannedAt: integer('banned_at'),
  banReason: text('ban_reason'),
  groupId: text('group_id'),
  minerVersion: text('miner_version'),
  linkStateAt: integer('link_state_at'),
})

export const deviceGroups = keyedTable('device_groups', ['owner', 'groupId'], {
  owner: text().notNull(),
  groupId: text('group_id').notNull(),
  name: text().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const relayTotals = sqliteTable('relay_totals', {
  id: integer().primaryKey(),
  connectedDevices: integer('connected_devices').notNull(),
  availableSlots: integer('available_slots').notNull(),
})
