import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { relayRequest as action } from '../testing/relay-request.ts'
import {
  alarm,
  chain,
  mined,
  relayed,
  relayer,
  sqlOn,
  useRelayer,
  withRelayer,
} from '../testing/relayer-object.ts'
import type { RelayRequest } from './types.ts'

useRelayer()

async function confirmed(): Promise<RelayRequest> {
  const request = await relayed()
  await mined()
  expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed' })
  return request
}

describe('a reorganisation deeper than what counts as final', () => {
  test('reopens the actions that it dropped, also if no other action is open, and prices them again', async () => {
    const [one, two] = [await confirmed(), await confirmed()]
    chain.reorganise(2)
    chain.emptyPool()
    chain.baseFee *= 20n
    await relayer.wake()
    await alarm()
    for (const { id } of [one, two])
      expect(await relayer.find(id)).toMatchObject({ status: 'sent', confirmations: 0, error: null })
    expect(await relayer.health()).toMatchObject({ open: 2 })
    await mined()
    for (const { id } of [one, two]) expect(await relayer.find(id)).toMatchObject({ status: 'confirmed' })
    expect(await relayer.health()).toMatchObject({ open: 0, nextNonce: 2 })
    expect(new Set(chain.received.map(({ nonce }) => nonce))).toEqual(new Set([0, 1]))
  })

  test('does not make the next action wait behind a gap', async () => {
    const dropped = await confirmed()
    chain.reorganise(1)
    chain.emptyPool()
    chain.baseFee *= 20n
    const next = action()
    await evictDurableObject(relayer)
    await relayer.relay(next)
    await alarm()
    await mined()
    for (const { id } of [dropped, next])
      expect(await relayer.find(id)).toMatchObject({ status: 'confirmed' })
  })

  test('is not assumed because a node lags behind', async () => {
    const final = await confirmed()
    chain.head -= 1
    await relayer.wake()
    await alarm()
    expect(await relayer.find(final.id)).toMatchObject({ status: 'confirmed' })
    chain.head += 1
    await alarm()
    expect(await alarm()).toBe(false)
    expect(await relayer.find(final.id)).toMatchObject({ status: 'confirmed' })
  })

  test('may undo that an action reverted', async () => {
    const request = await relayed()
    chain.minedRevert = '0xdeadbeef'
    await mined()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'reverted', error: expect.any(String) })
    chain.minedRevert = null
    chain.reorganise(1)
    await relayer.wake()
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent', error: null })
    await mined()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed', error: null })
  })
})

describe('an action has failed', () => {
  test('not because a node permanently refuses an action that another node accepted', async () => {
    const request = await relayed()
    chain.refusal = 'exceeds block gas limit'
    for (let times = 0; times < 4; times++) {
      // An object that has forgotten when it sent the action last sends it again.
      await evictDurableObject(relayer)
      await alarm()
    }
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent', error: null })
    chain.refusal = null
    await mined()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed' })
    expect(new Set(chain.received.map(({ hash }) => hash)).size).toBe(1)
  })

  test('not because one node refused it once', async () => {
    chain.refusal = 'intrinsic gas too low'
    const request = await relayed()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'queued', error: null })
    chain.refusal = null
    await alarm()
    await mined()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed', error: null })
  })

  test('after every node has refused it for long, and the transaction with its nonce is final', async () => {
    await withRelayer({ stuckMs: 0, confirmations: 2 }, async (object) => {
      chain.refusal = 'intrinsic gas too low'
      const [bad, good] = [action({ serializationKey: 'one' }), action()]
      await object.relay(bad)
      for (let times = 0; times < 3; times++) await object.alarm()
      chain.refusal = null
      await object.relay(good)
      await object.alarm()
      await mined(object)
      expect(await object.find(bad.id)).toMatchObject({ status: 'sent', error: null })
      await mined(object)
      const error = 'the chain refuses it: intrinsic gas too low'
      expect(await object.find(bad.id)).toMatchObject({ status: 'failed', error })
      expect(await object.find(good.id)).toMatchObject({ status: 'confirmed' })
      const { signer } = await object.health()
      expect(chain.received.find(({ data }) => data === '0x')).toMatchObject({ nonce: 0, to: signer })
    })
  })

  test('not while the action itself may still be mined instead of its noop', async () => {
    await withRelayer({ stuckMs: 0, confirmations: 1 }, async (object, state) => {
      const request = action({ serializationKey: 'one' })
      chain.refusal = 'exceeds block gas limit'
      await object.relay(request)
      for (let times = 0; times < 2; times++) await object.alarm()
      expect(state.storage.sql.exec('SELECT noop FROM relays').one()).toEqual({ noop: 1 })
      const next = await object.relay(action({ serializationKey: 'one' }))
      expect(next).toEqual({ status: 'busy', id: request.id })
      // One of the refusals was not so: the first bytes are in a pool after all.
      chain.refusal = null
      chain.accept(0)
      await mined(object)
      const own = { status: 'confirmed', error: null, txHash: chain.received[0]?.hash }
      expect(await object.find(request.id)).toMatchObject(own)
    })
  })

  /** Lets the relayer have seen the nonce used, without a receipt, long ago. */
  const longAgo = () => sqlOn(relayer, 'UPDATE relays SET foreign_since_ms = 1')

  test('not because no node finds the receipt of a mined action', async () => {
    const request = await relayed()
    chain.withoutReceipts = true
    await mined()
    await longAgo()
    for (let times = 0; times < 3; times++) await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent' })
    expect(await relayer.health()).toMatchObject({ status: 'unavailable', open: 1, undecided: 1 })
    chain.withoutReceipts = false
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed' })
    expect(await relayer.health()).toMatchObject({ status: 'ok', undecided: 0 })
  })

  test('after a foreign transaction with its nonce is final, and not before', async () => {
    await withRelayer({ stuckMs: 0, confirmations: 3 }, async (object) => {
      const { signer } = await object.health()
      for (let early = 0; early < 5; early++) {
        await object.relay(action())
        chain.mine()
      }
      chain.refusal = 'internal error'
      const request = await relayed({}, object)
      chain.refusal = null
      chain.mineForeignTransaction(signer as string)
      chain.mine()
      for (let times = 0; times < 3; times++) await object.alarm()
      expect(await object.find(request.id)).toMatchObject({ status: 'queued' })
      chain.mine()
      for (let times = 0; times < 2; times++) await object.alarm()
      const error = 'another transaction of the relaying key used the nonce'
      expect(await object.find(request.id)).toMatchObject({ status: 'failed', error })
      await object.relay(action())
      expect(chain.received.at(-1)).toMatchObject({ nonce: 6 })
    })
  })

  test('not while no node knows what used its nonce, and the health reports this', async () => {
    chain.refusal = 'internal error'
    const request = await relayed()
    chain.refusal = null
    chain.mineForeignTransaction((await relayer.health()).signer as string)
    chain.prunedBelow = chain.head + 1
    await alarm()
    await longAgo()
    for (let times = 0; times < 3; times++) await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'queued' })
    expect(await relayer.health()).toMatchObject({ status: 'unavailable', undecided: 1 })
    chain.prunedBelow = 0
    // A node of another chain, where the key is known, proves nothing. It is asked in between.
    const own = chain.id
    chain.onCall = (method) => {
      if (method === 'eth_getTransactionReceipt') chain.id = 1
    }
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'queued' })
    chain.onCall = null
    chain.id = own
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'failed' })
    expect(await relayer.health()).toMatchObject({ status: 'ok', undecided: 0, open: 0 })
  })
})

describe('one answer that fails', () => {
  test('leaves only its own action open', async () => {
    const requests = Array.from({ length: 5 }, () => action())
    for (const request of requests) await relayer.relay(request)
    chain.failingReceipts.add(chain.received[2]?.hash as string)
    await mined()
    const statuses = async () => Promise.all(requests.map(async ({ id }) => (await relayer.find(id))?.status))
    expect(await statuses()).toEqual(['confirmed', 'confirmed', 'sent', 'confirmed', 'confirmed'])
    const late = await relayed()
    await mined()
    expect(await relayer.find(late.id)).toMatchObject({ status: 'confirmed' })
    chain.failingReceipts.clear()
    await alarm()
    expect((await statuses())[2]).toBe('confirmed')
  })

  test('about the reason of a revert leaves only that action open', async () => {
    const [one, two] = [action(), action()]
    for (const request of [one, two]) await relayer.relay(request)
    chain.minedRevert = '0xdeadbeef'
    chain.nonsense.set('eth_call', undefined)
    await mined()
    expect(await relayer.find(one.id)).toMatchObject({ status: 'sent', confirmations: 1 })
    chain.nonsense.clear()
    await alarm()
    for (const { id } of [one, two]) expect(await relayer.find(id)).toMatchObject({ status: 'reverted' })
  })
})

describe('a base fee that jumps', () => {
  test('reprices at once all actions whose fees became too low', async () => {
    const requests = Array.from({ length: 120 }, () => action())
    await Promise.all(requests.map((request) => relayer.relay(request)))
    chain.baseFee *= 20n
    chain.mine()
    await evictDurableObject(relayer)
    await alarm()
    await mined()
    expect(await relayer.health()).toMatchObject({ open: 0, nextNonce: 120 })
  })
})

test('the transactions of old actions are forgotten, except open ones, and each id stays one transaction for ever', async () => {
  const count = 10_004
  const first = action()
  await sqlOn(
    relayer,
    `INSERT INTO relays
     WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
     SELECT iif(i = 0, ?, 'old ' || i), i, 'bond', 'o', NULL, 'r', '0xdata', '0', 1, '0', 1, 'confirmed', 'tx', NULL, 12, 0, NULL, 1, 1, 1, 1
     FROM n`,
    first.id,
  )
  await sqlOn(
    relayer,
    "INSERT INTO attempts SELECT 'hash ' || nonce, nonce, '0xraw', '1', '1', 1, 1, 0 FROM relays",
  )
  const kept = async () => [
    await sqlOn(relayer, "SELECT min(nonce) AS first FROM attempts WHERE raw = '0xraw'"),
    await sqlOn(relayer, "SELECT min(nonce) AS first FROM relays WHERE data = '0xdata'"),
  ]
  chain.countedTooMany = count
  await sqlOn(relayer, "UPDATE relays SET status = 'sent' WHERE nonce = 2")
  await relayer.relay(action())
  await alarm()
  expect(await kept()).toEqual([[{ first: 2 }], [{ first: 2 }]])
  await sqlOn(relayer, "UPDATE relays SET status = 'confirmed' WHERE nonce = 2")
  await alarm()
  expect(await kept()).toEqual([[{ first: 4 }], [{ first: 4 }]])
  expect(await relayer.relay(first)).toMatchObject({ status: 'accepted', relay: { status: 'confirmed' } })
  expect(chain.received).toHaveLength(1)
})
