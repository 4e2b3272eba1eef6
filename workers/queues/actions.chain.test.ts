import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { relayRequest } from '../../durable-objects/testing/relay-request.ts'
import { services } from '../services.ts'
import { bodyOf, client } from '../test/client.ts'
import { consume, consumeIn } from '../test/queue.ts'
import { rowsOf, runSql } from '../test/tables.ts'
import type { ActionMessage } from './action-message.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.received.length = 0
  chain.down = false
  chain.install()
})

/** Has the relayer accept an action. @returns The message about it. */
async function accepted(): Promise<ActionMessage> {
  const request = relayRequest({ action: 'set_listing_status' })
  expect(await services(env).relayer?.accept(request)).toMatchObject({ relay: { status: 'queued' } })
  return { v: 1, id: request.id }
}

describe('the queue actions', () => {
  test('submits all actions of a batch in one request, and each only once even if its message is repeated', async () => {
    const messages = [await accepted(), await accepted(), await accepted()]
    for (const repeated of [false, true]) {
      if (repeated) messages.reverse()
      expect(await consume('actions', ...messages)).toEqual({ acked: ['m0', 'm1', 'm2'], retried: [] })
    }
    expect(chain.received).toHaveLength(3)
    const hashes = chain.received.map(({ hash }) => hash)
    for (const { id } of messages)
      expect(await bodyOf(client().get(`/v1/transactions/${id}`))).toMatchObject({
        id,
        action: 'set_listing_status',
        status: 'sent',
        tx_hash: expect.toBeOneOf(hashes),
      })
  })

  test('an accepted action passes through the queue without further calls', async () => {
    const { id } = await accepted()
    await vi.waitFor(async () =>
      expect(await services(env).relayer?.find(id)).toMatchObject({ status: 'sent' }),
    )
    expect(chain.received).toHaveLength(1)
  })

  test('retries while the hub has no relayer', async () => {
    const message = await accepted()
    const bindings = { ...env, RELAYER_PRIVATE_KEY: undefined } as unknown as typeof env
    expect(await consumeIn(bindings, 'actions', [message])).toEqual({ acked: [], retried: ['m0'] })
    expect(await consume('actions', message)).toEqual({ acked: ['m0'], retried: [] })
  })

  test('retries while the relayer cannot be reached', async () => {
    const message = await accepted()
    const RELAYER = { getByName: () => ({ submit: () => Promise.reject(new Error('overloaded')) }) }
    const bindings = { ...env, RELAYER } as unknown as typeof env
    expect(await consumeIn(bindings, 'actions', [{}, message])).toEqual({ acked: [], retried: ['m0', 'm1'] })
  })

  const known = `0x${'0a'.repeat(32)}`
  test.each([{}, null, 'text', { v: 2, id: known }, { v: 1, id: known, more: 1 }, { v: 1, id: 'x' }])(
    'passes unreadable messages to the dead letters: %j',
    async (body) => {
      const message = await accepted()
      expect(await consume('actions', body, message)).toEqual({ acked: ['m1'], retried: ['m0'] })
    },
  )

  test('finds all relayed actions final in the database when the relayer is done', async () => {
    const message = await accepted()
    await consume('actions', message)
    chain.mine()
    const { relayer, transactions } = services(env)
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${relayer?.signer}`))
    expect(await transactions.find(message.id)).toMatchObject({ status: 'confirmed' })
  })
})

test('the names of queues may have the name of the deployed hub as a prefix', async () => {
  const message = await accepted()
  expect(await consume('hub-example-actions', message)).toEqual({ acked: ['m0'], retried: [] })
  for (const queue of ['action-dead-letters', 'round-rows-dead-letters', 'webhook-deliveries-dead-letters'])
    await consumeIn(env, `hub-example-${queue}`, [{ queue }], queue)
  const letters = await rowsOf('SELECT message_id, queue FROM dead_letters ORDER BY queue')
  expect(letters.map(({ message_id, queue }) => [message_id, queue])).toEqual(
    letters.map(({ queue }) => [`${queue}0`, queue]),
  )
  await runSql('DELETE FROM dead_letters')
  await expect(consume('hub-example-other', {})).rejects.toThrow('no consumer')
})

describe('the queue action-dead-letters', () => {
  test('stores each letter once, and the health reports it', async () => {
    const status = () => bodyOf(client({ bindings: {} }).get('/v1/status'))
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
