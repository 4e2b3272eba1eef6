import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { relayRequest as action } from '../testing/relay-request.ts'
import { chain, mined, relayed, relayer, useRelayer, withRelayer } from '../testing/relayer-object.ts'
import type { RelayerObject } from './object.ts'
import type { RelayerConfig } from './types.ts'

const gwei = 10n ** 9n
const ether = 10n ** 18n

useRelayer()

/** An object for which nothing is too early, and its storage. */
const withObject: typeof withRelayer = (over, work) =>
  withRelayer({ stuckMs: 0, confirmations: 1, ...over }, work)

/** Moves the start of all refusals back by ten minutes. */
const longAgo = ({ storage }: DurableObjectState) =>
  storage.sql.exec('UPDATE refusals SET since_ms = since_ms - 600000').toArray()

const statuses = async (object: RelayerObject, ids: { id: string }[]) =>
  Promise.all(ids.map(async ({ id }) => (await object.find(id))?.status))

describe('an action that every node refuses', () => {
  test('is repriced once the market is lower than its fees, together with all actions behind it', async () => {
    await withObject({ txFeeCapWei: 100n * ether }, async (object) => {
      chain.txFeeCap = ether
      chain.gas = 10_000_000
      chain.baseFee = 45n * gwei
      const [dear, next] = [action(), action()]
      for (const request of [dear, next]) await object.relay(request)
      chain.baseFee = gwei
      await object.alarm()
      expect(await statuses(object, [dear, next])).toEqual(['sent', 'sent'])
      await mined(object)
      expect(await statuses(object, [dear, next])).toEqual(['confirmed', 'confirmed'])
      expect((await object.health()).nextNonce).toBe(2)
    })
  })

  test('reuses its earlier signed transaction if the market returns to the earlier fees', async () => {
    await withObject({ txFeeCapWei: 100n * ether }, async (object, { storage }) => {
      chain.txFeeCap = ether / 100n
      chain.refused.set('0x01', 'the node is busy')
      const request = await relayed({}, object)
      chain.baseFee = 90n * gwei
      chain.gas = 500_000
      await object.alarm()
      chain.baseFee = gwei
      chain.refused.clear()
      await object.alarm()
      expect(storage.sql.exec('SELECT count(*) AS n FROM attempts').one()).toEqual({ n: 2 })
      await object.alarm()
      await mined(object)
      expect(await statuses(object, [request])).toEqual(['confirmed'])
    })
  })

  test('is replaced by a noop after ten minutes, for any reason of refusal, and the actions behind it continue', async () => {
    await withObject({}, async (object, state) => {
      const [refused, next] = [action({ data: '0xbad0' }), action()]
      chain.refused.set('0xbad0', 'the operator of this node does not like it')
      await object.relay(refused)
      await object.relay(next)
      for (let times = 0; times < 5; times++) await object.alarm()
      chain.mine()
      expect(await statuses(object, [refused, next])).toEqual(['queued', 'sent'])
      longAgo(state)
      await object.alarm()
      await mined(object)
      expect(await statuses(object, [refused, next])).toEqual(['failed', 'confirmed'])
      expect(await object.find(refused.id)).toMatchObject({
        error: 'the chain refuses it: the operator of this node does not like it',
      })
      expect(state.storage.sql.exec('SELECT count(*) AS n FROM refusals').one()).toEqual({ n: 0 })
    })
  })

  test('gets the full time again if no node answered in between', async () => {
    await withObject({}, async (object, { storage }) => {
      chain.refusal = 'internal error'
      const request = await relayed({}, object)
      for (let times = 0; times < 3; times++) await object.alarm()
      storage.sql.exec('UPDATE refusals SET since_ms = 1, last_ms = 2').toArray()
      await object.alarm()
      chain.refusal = null
      await object.alarm()
      await mined(object)
      expect(await statuses(object, [request])).toEqual(['confirmed'])
    })
  })

  test('waits if the balance is too low, and so do the refused actions behind it', async () => {
    await withObject({}, async (object, state) => {
      chain.refused.set('0xf0', 'insufficient funds for gas * price + value')
      chain.refused.set('0x01', 'account limit exceeded')
      const requests = [action({ data: '0xf0' }), action()]
      for (const request of requests) await object.relay(request)
      for (let times = 0; times < 4; times++) await object.alarm()
      longAgo(state)
      await object.alarm()
      chain.refused.clear()
      await object.alarm()
      await mined(object)
      expect(await statuses(object, requests)).toEqual(['confirmed', 'confirmed'])
    })
  })

  test('is timed from its first refusal, also after the object is created again', async () => {
    const request = action()
    chain.refusal = 'internal error'
    await withObject({}, async (object) => void (await object.relay(request)))
    for (let times = 0; times < 3; times++) {
      await evictDurableObject(relayer)
      await withObject({}, (object) => object.alarm())
    }
    await withObject({}, async (object, state) => {
      longAgo(state)
      await object.alarm()
      chain.refusal = null
      await object.alarm()
      await mined(object)
      expect(await statuses(object, [request])).toEqual(['failed'])
    })
  })
})

describe('the cap on the fees of one transaction', () => {
  test('limits the fees of an action from its acceptance on, even if the market rises later', async () => {
    await withObject({}, async (object) => {
      chain.gas = 10_000_000
      chain.baseFee = 45n * gwei
      const request = action()
      expect(await object.relay(request)).toMatchObject({ status: 'accepted' })
      chain.baseFee = 90n * gwei
      for (let times = 0; times < 5; times++) await object.alarm()
      for (const { gas, maxFee } of chain.received) expect(gas * maxFee).toBeLessThanOrEqual(ether)
    })
  })

  test('refuses new actions while the market exceeds it, and accepted actions wait for their nonce', async () => {
    await withObject({}, async (object) => {
      const waiting = action()
      chain.gas = 10_000_000
      await object.accept(waiting)
      chain.baseFee = 90n * gwei
    })
    await withObject({}, async (object) => {
      expect(await object.relay(action())).toEqual({ status: 'unavailable', part: 'fees' })
      chain.gas = 50_000
      const small = action()
      expect(await object.relay(small)).toMatchObject({ status: 'accepted', relay: { status: 'sent' } })
      expect((await object.health()).nextNonce).toBe(1)
    })
  })
})

test('an action that no block takes for ten minutes makes the relayer unavailable', async () => {
  await withObject({}, async (object, { storage }) => {
    await object.relay(action())
    expect(await object.health()).toMatchObject({ status: 'ok', overdue: 0 })
    storage.sql.exec('UPDATE relays SET accepted_at_ms = accepted_at_ms - 600000').toArray()
    expect(await object.health()).toMatchObject({ status: 'unavailable', overdue: 1 })
    await mined(object)
    expect(await object.health()).toMatchObject({ status: 'ok', overdue: 0 })
  })
})

describe('a node that reports too many transactions', () => {
  test('once: its count is not used as a nonce', async () => {
    await withObject({}, async (object) => {
      const request = action()
      await object.accept(request)
      chain.onCall = (method) => {
        if (method === 'eth_getBalance') chain.countedTooMany = 0
      }
      chain.countedTooMany = 7
    })
    await withObject({}, async (object, { storage }) => {
      storage.sql.exec('UPDATE relays SET accepted_at_ms = 1').toArray()
      await object.alarm()
      await object.alarm()
      expect(chain.received.map(({ nonce }) => nonce)).toEqual([0])
    })
  })

  test('for a while: the relayer fills the gap, and no other action gets these nonces', async () => {
    const published: string[] = []
    const publish: RelayerConfig['publish'] = async (relays) => {
      for (const { id } of relays) published.push(id)
    }
    await withObject({ publish }, async (object) => {
      chain.countedTooMany = 3
      const requests = [action(), action()]
      for (const request of requests) await object.relay(request)
      expect(chain.received.map(({ nonce }) => nonce)).toEqual([3, 4])
      chain.countedTooMany = 0
      chain.mine()
      expect(await statuses(object, requests)).toEqual(['sent', 'sent'])
      // Seen, and seen again later: a node that lags shows a gap for a moment.
      await object.alarm()
      await object.alarm()
      await mined(object)
      expect(await statuses(object, requests)).toEqual(['confirmed', 'confirmed'])
      expect(await object.health()).toMatchObject({ status: 'ok', open: 0, nextNonce: 5, filled: 3 })
      const fillers = chain.received.filter(({ nonce }) => nonce < 3)
      for (const { data, gas } of fillers) expect([data, gas]).toEqual(['0x', 21_000n])
      expect(new Set(published)).toEqual(new Set(requests.map(({ id }) => id)))
    })
  })
})

test('a provider that accepts ten calls per batch is sufficient for any number of open actions', async () => {
  await withObject({}, async (object) => {
    chain.batchMax = 10
    const requests = Array.from({ length: 25 }, () => action())
    for (const request of requests) await object.relay(request)
    await object.alarm()
    await mined(object)
    expect(new Set(await statuses(object, requests))).toEqual(new Set(['confirmed']))
    expect(await object.health()).toMatchObject({ status: 'ok', open: 0, nextNonce: 25 })
  })
})
