import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runDurableObjectAlarm,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import hub from '../index.ts'
import { services } from '../services.ts'
import { client } from '../test/client.ts'
import type { HubActionMessage } from './action-message.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.received.length = 0
  chain.install()
})

let ids = 0
const request = (): HubActionMessage => {
  ids += 1
  return {
    id: `0x${ids.toString(16).padStart(64, '0')}`,
    action: 'set_listing_status',
    owner: `0x${'0a'.repeat(20)}`,
    serializationKey: null,
    to: `0x${'0b'.repeat(20)}`,
    data: '0x01',
    valueWei: '0',
  }
}
const message = () => ({ v: 2, ...request() })

const consume = async (queue: string, ...bodies: unknown[]) => {
  const messages = bodies.map((body, index) => ({
    id: `m${index}`,
    timestamp: new Date(),
    attempts: 1,
    body,
  }))
  const batch = createMessageBatch(queue, messages)
  const ctx = createExecutionContext()
  await hub.queue(batch, env)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, ctx)
  return { acked: explicitAcks, retried: retryMessages.map(({ msgId }) => msgId) }
}

describe('the queue actions', () => {
  test('relays what it is given once, however often it comes', async () => {
    const one = message()
    expect(await consume('actions', one, one)).toEqual({ acked: ['m0', 'm1'], retried: [] })
    await consume('actions', one)
    expect(chain.received).toHaveLength(1)
    expect(await (await client().get(`/v1/transactions/${one.id}`)).json()).toMatchObject({
      id: one.id,
      action: 'set_listing_status',
      status: 'sent',
      tx_hash: chain.received[0]?.hash,
    })
  })

  test('submits what was accepted, all of a batch in one request, and passes over what it was told before', async () => {
    const accepted = Array.from({ length: 3 }, request)
    const { relayer } = services(env)
    for (const one of accepted) await relayer?.accept(one)
    const ids = accepted.map(({ id }) => ({ v: 1, id }))
    for (const repeated of [false, true]) {
      if (repeated) ids.reverse()
      expect(await consume('actions', ...ids)).toEqual({ acked: ['m0', 'm1', 'm2'], retried: [] })
    }
    expect(chain.received).toHaveLength(3)
    for (const { id } of ids)
      expect(await (await client().get(`/v1/transactions/${id}`)).json()).toMatchObject({ status: 'sent' })
  })

  test('what is accepted comes through the queue by itself', async () => {
    const one = request()
    expect(await services(env).relayer?.accept(one)).toMatchObject({ relay: { status: 'queued' } })
    await vi.waitFor(async () =>
      expect(await services(env).relayer?.find(one.id)).toMatchObject({ status: 'sent' }),
    )
    expect(chain.received).toHaveLength(1)
  })

  test('tries again while the chain is down, and acknowledges each message on its own', async () => {
    const known = message()
    await consume('actions', known)
    chain.down = true
    const later = message()
    expect(await consume('actions', known, later)).toEqual({ acked: ['m0'], retried: ['m1'] })
    chain.down = false
    expect(await consume('actions', later)).toEqual({ acked: ['m0'], retried: [] })
  })

  test('relays what an earlier version of the hub has sent before an upgrade', async () => {
    const { serializationKey, ...action } = request()
    expect(await consume('actions', { v: 1, ...action, lane: serializationKey })).toEqual({
      acked: ['m0'],
      retried: [],
    })
    expect(chain.received).toHaveLength(1)
    expect(await services(env).relayer?.find(action.id)).toMatchObject({ status: 'sent' })
  })

  test('tries again what the contract refuses, for its reason may pass', async () => {
    const one = message()
    chain.revert = '0xdeadbeef'
    expect(await consume('actions', one)).toEqual({ acked: [], retried: ['m0'] })
    chain.revert = null
    expect(await consume('actions', one)).toEqual({ acked: ['m0'], retried: [] })
    expect(chain.received).toHaveLength(1)
  })

  test.each([{}, null, 'text', { ...message(), v: 1 }, { ...message(), data: 'code' }, { v: 1, id: 'x' }])(
    'leaves what nobody can read to the dead letters: %j',
    async (body) => {
      expect(await consume('actions', body)).toEqual({ acked: [], retried: ['m0'] })
    },
  )

  test('finds everything it relayed final in the database once the relayer is done', async () => {
    const one = message()
    await consume('actions', one)
    chain.mine()
    const { relayer, transactions } = services(env)
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${relayer?.signer}`))
    expect(await transactions.find(one.id)).toMatchObject({ status: 'confirmed' })
  })
})

describe('the queue action-dead-letters', () => {
  test('keeps each letter once, and the health shows it', async () => {
    const status = async () => (await client({ bindings: {} }).get('/v1/status')).json()
    expect(await status()).toMatchObject({ queue: 'ok' })
    const body = { any: 'thing' }
    expect(await consume('action-dead-letters', body)).toEqual({ acked: ['m0'], retried: [] })
    expect(await consume('action-dead-letters', body)).toEqual({ acked: ['m0'], retried: [] })
    expect(await services(env).deadLetters.unresolved(undefined, 10)).toMatchObject([
      { messageId: 'm0', queue: 'action-dead-letters', body: '{"any":"thing"}' },
    ])
    expect(await status()).toMatchObject({ status: 'degraded', queue: 'unavailable' })
  })
})
