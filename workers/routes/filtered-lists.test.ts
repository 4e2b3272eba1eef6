import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { signIn } from '../test/callers.ts'
import { bodyOf, client } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'

/** Newer things than the one that is looked for, of the wallet and of another one. */
const others = 600
const hash = (first: string, i: number) => `0x${first}${String(i).padStart(62, '0')}`
const nodeId = (i: number) => `hub1${String(i).padStart(16, '0')}`
const [project, node] = [hash('a0', 0), nodeId(0)]

const { address, token } = await signIn()
const other = `0x${'0e'.repeat(20)}`

/** @param values - Of subscription, owner, project, node, key and time; `i` is the number of the row. */
const subscribe = (count: number, values: string) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO subscriptions (subscription_id, owner, project_id, node_id, node_key, created_at, closings, reputation,
      credited_rounds, missed_leases, disagreements) SELECT ${values}, 0, 5000, 0, 0, 0 FROM n`,
  )
const padded = (first: string) => `printf('0x${first}%062d', i)`
const named = "printf('hub1%016d', i)"

await env.DB.batch([
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${others})
    INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at, link_state)
    SELECT ${named}, ${padded('d0')}, '${address}', ${padded('b0')}, i, iif(i = 0, 'online', 'offline') FROM n`,
  ),
  subscribe(1, `'${hash('c0', 0)}', '${address}', '${project}', '${node}', '${hash('d0', 0)}', 1`),
  // Of another project and device, of another device in the project, of the device in another project, and of another wallet.
  subscribe(others, `${padded('c1')}, '${address}', '${hash('a1', 0)}', ${named}, ${padded('d0')}, 1 + i`),
  subscribe(1, `'${hash('c2', 0)}', '${address}', '${project}', '${nodeId(1)}', '${hash('d0', 1)}', 0`),
  subscribe(1, `'${hash('c3', 0)}', '${address}', '${hash('a1', 0)}', '${node}', '${hash('d0', 0)}', 0`),
  subscribe(others, `${padded('c4')}, '${other}', '${project}', '${node}', ${padded('d4')}, 1 + i`),
  env.DB.prepare(
    `INSERT INTO chain_states (kind, subject, owner, state, block_number) VALUES ('subscription', ?, ?, ?, 1)`,
  ).bind(
    hash('c0', 0),
    address,
    JSON.stringify({ status: 'bonded', collateral: '9', payout: other, started_at: 1, release_at: null }),
  ),
])

async function ask(path: string) {
  const { db, use } = countedDatabase()
  const { items, next_cursor } = await bodyOf(client({ token, bindings: { DB: db } }).get(path))
  return { items, next_cursor, use }
}

// The first call of a route loads it while the session is read, which makes that a trip of its own.
await ask('/v1/me/subscriptions')

test.each([
  ['a project', `/v1/me/subscriptions?project_id=${project}`, true],
  ['a device', `/v1/me/subscriptions?node_id=${node}`, true],
  ['both', `/v1/me/subscriptions?project_id=${project}&node_id=${node}`, false],
])('one round trip finds the subscriptions of %s', async (_, path, isMore) => {
  const { items, next_cursor, use } = await ask(`${path}&limit=1`)
  expect(items).toMatchObject([{ subscription_id: hash('c0', 0), status: 'active' }])
  expect(next_cursor !== null).toBe(isMore)
  expect(use.roundTrips).toBe(1)
  expect(use.rowsRead).toBeLessThan(15)
})

test.each([
  ['subscriptions', '/v1/me/subscriptions?status=active', 'subscription_id', hash('c0', 0)],
  ['devices', '/v1/me/devices?status=online', 'node_id', node],
])(
  '%s with a status are found behind many others with at most five round trips',
  async (_, path, member, id) => {
    const { items, use } = await ask(`${path}&limit=1`)
    expect(items.map((item: Record<string, string>) => item[member])).toEqual([id])
    expect(use.roundTrips).toBeLessThanOrEqual(5)
  },
)

test('records beyond the search limit are on a later page', async () => {
  await subscribe(
    others,
    `${padded('c5')}, '${address}', ${padded('a5')}, ${named}, ${padded('d5')}, 9000 + i`,
  ).run()
  const path = '/v1/me/subscriptions?status=active&limit=1'
  const first = await ask(path)
  expect([first.items, first.use.roundTrips]).toEqual([[], 5])
  const second = await ask(`${path}&cursor=${encodeURIComponent(first.next_cursor)}`)
  expect(second.items).toMatchObject([{ subscription_id: hash('c0', 0) }])
})
