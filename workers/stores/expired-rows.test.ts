import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { services } from '../services.ts'
import { emptyTables, rowsOf, runSql } from '../test/tables.ts'
import { ExpiredRows } from './expired-rows.ts'

const day = 86_400
const now = 100 * day

/** Each table with its column of times, the columns and values of its test rows, and how many seconds it keeps them. */
const tables: readonly [table: string, at: string, columns: string, values: string, keptSecs: number][] = [
  [
    'siwe_nonces',
    'expires_at',
    'nonce, address, domain, message, issued_at, expires_at',
    "'n' || i, '0x', '', '', 0, i",
    0,
  ],
  ['sessions', 'expires_at', 'token_hash, address, created_at, expires_at', "'t' || i, '0x', 0, i", 7 * day],
  [
    'idempotency_keys',
    'expires_at',
    'caller, key, request_hash, claimed_by, locked_until, operation_id, expires_at',
    "'c', 'k' || i, '', '', 0, '', i",
    0,
  ],
  ['node_request_nonces', 'expires_at', 'public_key, nonce, expires_at', "'p', 'n' || i, i", 0],
  [
    'dead_letters',
    'resolved_at',
    'message_id, queue, body, attempts, died_at, resolved_at',
    "'m' || i, 'q', '{}', 1, 0, i",
    30 * day,
  ],
  [
    'webhook_deliveries',
    'due_at',
    'webhook_id, number, created_at, state, body, attempts_left, due_at',
    "'w', i, 1, 'failed', '{}', 0, i",
    0,
  ],
  [
    'epoch_credits',
    'ends_at',
    'miner, project_id, epoch, ends_at, rounds, units',
    "'m', 'p', i, i, 1, 1",
    30 * day,
  ],
  [
    'tasks',
    'created_at',
    'task_id, project_id, function, gas_limit, input_hash, error, created_at',
    "'t' || i, 'p', 'f', 1, '', 'no_attested_snapshot', i",
    5 * day,
  ],
]

beforeEach(() => emptyTables(...tables.map(([table]) => table)))

const purge = async (rows: number) =>
  services(env)
    .store(ExpiredRows)
    .purge({ machine: now, network: now, tasksKeptSecs: 5 * day }, rows)

test.each(tables)(
  '%s: expired rows are deleted in any number of batches, and no others',
  async (table, at, columns, values, keptSecs) => {
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT ${now - keptSecs - 24} UNION ALL SELECT i + 1 FROM n WHERE i < ${now - keptSecs + 5})
     INSERT INTO ${table} (${columns}) SELECT ${values} FROM n`,
    )
    expect(await purge(10)).toEqual([])
    const left = await rowsOf(`SELECT ${at} AS at FROM ${table} ORDER BY 1`)
    expect(left.map(({ at }) => at - now + keptSecs)).toEqual([1, 2, 3, 4, 5])
    // A run deletes 40 batches at most, here of one row.
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO ${table} (${columns}) SELECT ${values} FROM n`,
    )
    await purge(1)
    expect(await rowsOf(`SELECT 1 FROM ${table}`)).toHaveLength(5 + 10)
  },
)

test('unresolved dead letters, tasks with a round and waiting tasks stay', async () => {
  await runSql(
    "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES ('m', 'q', '{}', 1, 0)",
  )
  await runSql(
    "INSERT INTO tasks (task_id, project_id, round_id, function, gas_limit, input_hash, created_at) VALUES ('a', 'p', NULL, 'f', 1, '', 0), ('b', 'p', 'task:1', 'f', 1, '', 0)",
  )
  await purge(10)
  expect(
    [await rowsOf('SELECT 1 FROM dead_letters'), await rowsOf('SELECT 1 FROM tasks')].map(
      ({ length }) => length,
    ),
  ).toEqual([1, 2])
})
