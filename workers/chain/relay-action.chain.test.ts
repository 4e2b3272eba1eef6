import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import type { HubBindings } from '../context.ts'
import { readSettings } from '../env.ts'
import { errorResponse } from '../http/answer.ts'
import { services } from '../services.ts'
import { errorOf } from '../test/client.ts'
import { relayAction, type SignedAction } from './relay-action.ts'

const chain = new FakeChain()
beforeEach(() => {
  chain.install()
  chain.down = false
  chain.callAnswer = 7n
  chain.revert = null
})

/** A route with nothing before the relay. */
const relay = async (signed: SignedAction): Promise<Response> => {
  const app = new Hono<HubBindings>()
  app.use(async (c, next) => {
    c.set('settings', readSettings(c.env))
    c.set('services', services(c.env))
    await next()
  })
  app.post('/', (c) => relayAction(c, signed))
  app.onError((error, c) => errorResponse(c, error))
  const ctx = createExecutionContext()
  const response = await app.fetch(new Request('http://hub/', { method: 'POST' }), env, ctx)
  await waitOnExecutionContext(ctx)
  return response
}

let owners = 0
const signed = (over: Partial<SignedAction> = {}): SignedAction => {
  owners += 1
  return {
    action: 'unbond',
    digest: `0x${owners.toString(16).padStart(64, '0')}`,
    owner: `0x${owners.toString(16).padStart(40, '0')}`,
    contract: `0x${'0b'.repeat(20)}`,
    nonce: 7n,
    data: '0x01',
    ...over,
  }
}

describe('relayAction', () => {
  test('202 with the state and where to read it; the same action again is the same transaction', async () => {
    const action = signed()
    const answers = await Promise.all([relay(action), relay(action), relay(action)])
    for (const response of answers) {
      expect(response.status).toBe(202)
      expect(response.headers.get('location')).toBe(`/v1/transactions/${action.digest}`)
      expect(await response.json()).toMatchObject({
        id: action.digest,
        action: 'unbond',
        tx_hash: chain.offered[0]?.hash,
        error: null,
        confirmations: 0,
      })
    }
    chain.mine()
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
    chain.callAnswer = 8n
    const later = await relay(action)
    expect([later.status, await later.json()]).toEqual([
      202,
      expect.objectContaining({ status: 'confirmed' }),
    ])
    expect(chain.offered).toHaveLength(1)
  })

  test('409 conflict: a nonce that is not the current one', async () => {
    expect(await errorOf(await relay(signed({ nonce: 6n })))).toMatchObject({
      status: 409,
      error: 'conflict',
      details: { current_nonce: '7' },
    })
  })

  test('409 conflict: another action of the owner on the same contract, named', async () => {
    const first = signed()
    await relay(first)
    const second = signed({ owner: first.owner })
    expect(await errorOf(await relay(second))).toMatchObject({
      status: 409,
      error: 'conflict',
      details: { transaction_id: first.digest },
    })
    expect((await relay(signed({ owner: first.owner, contract: `0x${'0c'.repeat(20)}` }))).status).toBe(202)
  })

  test('422 insufficient_collateral: a bond above the balance', async () => {
    expect(await errorOf(await relay(signed({ tokensWei: 8n })))).toMatchObject({
      status: 422,
      error: 'insufficient_collateral',
      details: { balance: '7', amount: '8' },
    })
    expect((await relay(signed({ tokensWei: 7n }))).status).toBe(202)
  })

  test('422 with the reason: what would revert is not sent', async () => {
    const before = chain.offered.length
    chain.revert = `0x4b800e46${'0a'.repeat(20).padStart(64, '0')}${'0b'.repeat(20).padStart(64, '0')}`
    expect(await errorOf(await relay(signed()))).toMatchObject({
      status: 422,
      error: 'bad_signature',
      details: { reason: 'ERC2612InvalidSigner' },
    })
    chain.revert = '0xdeadbeef'
    expect(await errorOf(await relay(signed()))).toMatchObject({ status: 422, error: 'invalid_state' })
    expect(chain.offered).toHaveLength(before)
  })

  test('503 unavailable: while the chain is down nothing is taken', async () => {
    chain.down = true
    const action = signed()
    expect(await errorOf(await relay(action))).toMatchObject({ status: 503, error: 'unavailable' })
    chain.down = false
    expect(await services(env).relayer?.find(action.digest)).toBeNull()
  })
})
