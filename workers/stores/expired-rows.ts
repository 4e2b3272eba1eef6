import { type Column, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { batch, Store } from './database.ts'
import {
  deadLetters,
  epochCredits,
  idempotencyKeys,
  nodeRequestNonces,
  sessions,
  siweNonces,
  tasks,
} from './schema/index.ts'
import { webhookDeliveries } from './schema/webhooks.ts'

interface Expiring {
  table: SQLiteTable
  key: readonly Column[]
  /** By an index. */
  at: Column
  /** How long after that time rows are kept. */
  keptSecs: number
  isOf?: SQL
}

const daySecs = 86_400

/** Rows that expire by the time of the machine. */
const ofMachine: readonly Expiring[] = [
  { table: siweNonces, key: [siweNonces.nonce], at: siweNonces.expiresAt, keptSecs: 0 },
  // The holder of an expired session is told `session_expired` and not `unauthorized`.
  { table: sessions, key: [sessions.tokenHash], at: sessions.expiresAt, keptSecs: 7 * daySecs },
  {
    table: idempotencyKeys,
    key: [idempotencyKeys.caller, idempotencyKeys.key],
    at: idempotencyKeys.expiresAt,
    keptSecs: 0,
  },
  {
    table: deadLetters,
    key: [deadLetters.messageId],
    at: deadLetters.resolvedAt,
    keptSecs: 30 * daySecs,
    isOf: sql`${deadLetters.resolvedAt} IS NOT NULL`,
  },
  {
    table: webhookDeliveries,
    key: [webhookDeliveries.webhookId, webhookDeliveries.number],
    at: webhookDeliveries.dueAt,
    keptSecs: 0,
    isOf: sql`${webhookDeliveries.state} <> 'pending'`,
  },
]

/** Rows that expire by network time. */
const ofNetwork: readonly Expiring[] = [
  {
    table: nodeRequestNonces,
    key: [nodeRequestNonces.publicKey, nodeRequestNonces.nonce],
    at: nodeRequestNonces.expiresAt,
    keptSecs: 0,
  },
  // Nobody attests epochs this long after their end.
  {
    table: epochCredits,
    key: [epochCredits.miner, epochCredits.projectId, epochCredits.epoch],
    at: epochCredits.endsAt,
    keptSecs: 30 * daySecs,
  },
]

export interface PurgeTimes {
  machine: number
  network: number
  /** How long tasks are kept that waited in vain. */
  tasksKeptSecs: number
}

/** Rows of one table that one statement deletes, and the most statements of one run: more rows than come in between two runs. */
const batchRows = 5_000
const batches = 40

/** Deletes rows that nobody can ask for any more, in batches of each table. */
export class ExpiredRows extends Store {
  /** @returns The errors; a table that fails keeps no other waiting. */
  async purge({ machine, network, tasksKeptSecs }: PurgeTimes, rows = batchRows): Promise<unknown[]> {
    const failed: Expiring = {
      ...{ table: tasks, key: [tasks.taskId], at: tasks.createdAt, keptSecs: tasksKeptSecs },
      isOf: sql`${tasks.error} IS NOT NULL`,
    }
    const errors: unknown[] = []
    for (const [all, now] of [
      [ofMachine, machine],
      [[...ofNetwork, failed], network],
    ] as const)
      for (const one of all)
        await this.#purge(one, now - one.keptSecs, rows).catch((error: unknown) => errors.push(error))
    return errors
  }

  async #purge({ table, key, at, isOf = sql`true` }: Expiring, before: number, rows: number): Promise<void> {
    const columns = sql.join([...key], sql`, `)
    const due = sql`SELECT ${columns} FROM ${table} WHERE ${isOf} AND ${at} <= ${before} ORDER BY ${at} LIMIT ${rows}`
    for (let i = 0; i < batches; i++) {
      const [deleted] = await batch(this.db, [sql`DELETE FROM ${table} WHERE (${columns}) IN (${due})`])
      if ((deleted?.meta.changes ?? 0) < rows) return
    }
  }
}
