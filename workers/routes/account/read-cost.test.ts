import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { client } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { createMiner } from '../../test/device.ts'
import { createListedProject } from '../../test/subscription.ts'

const page = 20
/** Things of each kind that one wallet has, and as many of others beside. */
const things = 60

let miner: Awaited<ReturnType<typeof createMiner>>
const subscriptionId = (index: number) => `0x${index.toString(16).padStart(64, '0')}`

beforeAll(async () => {
  miner = await createMiner()
  const project = await createListedProject()
  const device = env.DB.prepare(
    'INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?, ?, ?, ?, ?)',
  )
  const subscription = env.DB.prepare(
    `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation,
      credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, '0x', 0, 5000, 0, 0, 0, ?)`,
  )
  const state = env.DB.prepare(
    "INSERT INTO chain_states (kind, subject, state, owner, block_number) VALUES ('subscription', ?, ?, ?, 1)",
  )
  const slash = env.DB.prepare(
    "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('slash', ?, ?, 1)",
  )
  await env.DB.batch(
    Array.from({ length: 2 * things }, (_, index) => {
      const owner = index % 2 === 0 ? miner.owner.address : `0x${'99'.repeat(20)}`
      const id = subscriptionId(index)
      const bonded = { status: 'bonded', collateral: '9', payout: owner, started_at: 1, release_at: null }
      return [
        device.bind(`node-${index}`, id, owner, id, index),
        subscription.bind(id, project, owner, `node-${index}`, index),
        state.bind(id, JSON.stringify(bonded), owner),
        slash.bind(id, JSON.stringify({ subscription_id: `${id}0`, status: 'proposed' })),
      ]
    }).flat(),
  )
})

describe('what reading asks of the database, however much there is', () => {
  const cost = async (path: string, token?: string) => {
    const { db, use } = countedDatabase()
    const response = await client({ ...(token && { token }), bindings: { DB: db } }).get(path)
    expect(response.status, path).toBe(200)
    return use
  }

  test('one thing is one statement', async () => {
    for (const path of [`/v1/devices/${miner.device.nodeId}`, `/v1/subscriptions/${subscriptionId(2)}`]) {
      const { statements, rowsRead, rowsWritten } = await cost(path)
      expect({ statements, rowsWritten }, path).toEqual({ statements: 1, rowsWritten: 0 })
      expect(rowsRead, path).toBeLessThanOrEqual(5)
    }
  })

  test('a page of devices is the session and one statement over the page', async () => {
    const use = await cost(`/v1/me/devices?limit=${page}`, miner.owner.token)
    expect(use).toMatchObject({ statements: 2, rowsWritten: 0 })
    expect(use.rowsRead).toBeLessThanOrEqual(1 + 2 * (page + 1))
  })

  test('a page of subscriptions reads each with its chain state, project and device', async () => {
    const use = await cost(`/v1/me/subscriptions?limit=${page}`, miner.owner.token)
    expect(use).toMatchObject({ statements: 2, rowsWritten: 0 })
    expect(use.rowsRead).toBeLessThanOrEqual(2 + 4 * (page + 1))
  })

  test('the wallet and its collateral are three and two statements over what is its own', async () => {
    const me = await cost('/v1/me', miner.owner.token)
    expect(me).toMatchObject({ statements: 3, rowsWritten: 0 })
    expect(me.rowsRead).toBeLessThanOrEqual(2 + 3 * things + 2)
    const collateral = await cost('/v1/me/collateral', miner.owner.token)
    expect(collateral).toMatchObject({ statements: 2, rowsWritten: 0 })
    expect(collateral.rowsRead).toBeLessThanOrEqual(3 + 4 * things)
  })
})
