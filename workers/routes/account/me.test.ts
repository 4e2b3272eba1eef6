import { describe, expect, test } from 'vitest'
import { createMiner, createOperator, createOwner, deviceRecord, signIn } from '../../test/callers.ts'
import { bodyOf, client } from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'

const insertSubscription = (owner: string, id: string) =>
  runSql(
    `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation,
      credited_rounds, missed_leases, disagreements, created_at) VALUES (?, '0x', ?, 'node-1', '0x', 0, 5000, 0, 0, 0, 1)`,
    id,
    owner,
  )
const close = (id: string) =>
  runSql(
    "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('subscription', ?, ?, 1)",
    id,
    JSON.stringify({ status: 'closed', closings: 1 }),
  )

describe('the calling wallet', () => {
  test('has no roles at first, and may use the faucet at once', async () => {
    const { address, client: caller } = await signIn()
    expect(await bodyOf(caller.get('/v1/me'))).toEqual({
      address,
      roles: [],
      devices: 0,
      subscriptions: 0,
      unread_notifications: 0,
      developer: null,
      faucet_next_eligible_at: null,
    })
  })

  test('is a miner while a device is bound to it', async () => {
    const { owner, device } = await createMiner()
    expect(await bodyOf(owner.client.get('/v1/me'))).toMatchObject({ roles: ['miner'], devices: 1 })
    expect(await bodyOf(owner.client.get('/v1/auth/session'))).toMatchObject({ roles: ['miner'] })
    await client().post('/v1/devices/unbind', deviceRecord(owner, device, { action: 'unbind' }))
    expect(await bodyOf(owner.client.get('/v1/me'))).toMatchObject({ roles: [], devices: 0 })
  })

  test('is a miner with a subscription that is not closed', async () => {
    const { address, client: caller } = await createOwner()
    await insertSubscription(address, '0xa1')
    await insertSubscription(address, '0xa2')
    expect(await bodyOf(caller.get('/v1/me'))).toMatchObject({ roles: ['miner'], subscriptions: 2 })
    await close('0xa1')
    expect(await bodyOf(caller.get('/v1/me'))).toMatchObject({ roles: ['miner'], subscriptions: 1 })
    await close('0xa2')
    expect(await bodyOf(caller.get('/v1/me'))).toMatchObject({ roles: [], subscriptions: 0 })
  })

  test('is a developer once its enrollment is active, and an operator if it is listed as one', async () => {
    const operator = await createOperator()
    const { address, client: caller } = await signIn()
    const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
    await caller.post('/v1/developers/me/enrollment', application)
    expect(await bodyOf(caller.get('/v1/me'))).toMatchObject({
      roles: [],
      developer: { enrollment: { status: 'pending' } },
    })
    await operator.client.post(`/admin/v1/developers/${address}/enrollment`, { status: 'active' })
    expect(await bodyOf(caller.get('/v1/me'))).toMatchObject({
      roles: ['developer'],
      developer: { address, enrollment: { status: 'active' } },
    })
    expect(await bodyOf(operator.client.get('/v1/me'))).toMatchObject({ roles: ['operator'] })
  })

  test('gets its roles in the answer to its sign-in', async () => {
    const { owner } = await createMiner()
    const { message } = await bodyOf(
      client().post('/v1/auth/nonce', { address: owner.address, domain: 'localhost:8787' }),
    )
    const session = client().post('/v1/auth/siwe', { message, signature: owner.sign(message) })
    expect(await bodyOf(session)).toMatchObject({ roles: ['miner'] })
  })
})
