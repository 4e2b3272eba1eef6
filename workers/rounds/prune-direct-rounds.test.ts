import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { services } from '../services.ts'
import { rowOf } from '../test/tables.ts'
import { pruneDirectRounds } from './prune-direct-rounds.ts'

const idOf = (second: number): string => `exec:0x${String(second).padStart(64, '0')}`
const generous = { seconds: 100_000, rounds: 100_000, bytes: 1_000_000 }

/** Direct rounds that ended one second after the other, from second 1 on, of 100 bytes each, and a task between them. */
beforeEach(async () => {
  await env.DB.batch([
    ...['direct_rounds', 'rounds'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
    env.DB.prepare(`INSERT INTO rounds (round_id, kind, state, module_address, function, input_hash, gas_limit, issued_at,
        committee_size, votes, agreeing, audited)
      WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 2500)
      SELECT iif(n = 1, 'task:', 'exec:') || '0x' || printf('%064d', n), iif(n = 1, 'task', 'exec'), 'finalized', 'm', 'f', 'i',
        1, n, 4, 3, 3, 0 FROM counted`),
    env.DB.prepare(
      `INSERT INTO direct_rounds SELECT round_id, issued_at, 100 FROM rounds WHERE kind = 'exec'`,
    ),
  ])
  for (const second of [2, 2_493, 2_494])
    await env.ROUNDS.put(`rounds/${idOf(second)}`, JSON.stringify({ round_id: idOf(second) }))
})

const count = async (table: string) =>
  (await rowOf<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))?.count

test.each([
  ['number', { rounds: 7 }],
  ['bytes', { bytes: 799 }],
  ['time', { seconds: 6 }],
])(
  'direct rounds beyond their %s are deleted with their files, the oldest first; tasks stay',
  async (_, bound) => {
    await pruneDirectRounds(services(env), { ...generous, ...bound }, 2_500)
    expect([await count('direct_rounds'), await count('rounds')]).toEqual([7, 8])
    const { roundFiles, rounds } = services(env)
    expect(await rounds.find(idOf(2_493))).toBeNull()
    expect(await rounds.find(idOf(2_494))).not.toBeNull()
    for (const second of [2, 2_493]) expect(await roundFiles.directRound(idOf(second))).toBeNull()
    expect(await roundFiles.directRound(idOf(2_494))).toEqual({ round_id: idOf(2_494) })
  },
)

test('rounds within all limits stay', async () => {
  await pruneDirectRounds(services(env), generous, 2_500)
  expect(await count('direct_rounds')).toBe(2_499)
})

test('if a file cannot be deleted, its row stays, and both are deleted the next time', async () => {
  const { directRounds } = services(env)
  const failing = { directRounds, roundFiles: { removeRounds: () => Promise.reject(new Error('away')) } }
  const retention = { ...generous, rounds: 2_498 }
  await expect(pruneDirectRounds(failing as never, retention, 2_500)).rejects.toThrow('away')
  expect(await count('direct_rounds')).toBe(2_499)
  await pruneDirectRounds(services(env), retention, 2_500)
  expect(await count('direct_rounds')).toBe(2_498)
  expect(await services(env).roundFiles.directRound(idOf(2))).toBeNull()
})
