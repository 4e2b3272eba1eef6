import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
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
import type { RelayerObject } from './object.ts'
import type { RelayerConfig } from './types.ts'

useRelayer()

const alarmAt = () => runInDurableObject(relayer, (_, state) => state.storage.getAlarm())

describe('Relayer', () => {
  test('20 equal parallel requests become one transaction, and later requests get its state', async () => {
    const request = action()
    const results = await Promise.all(Array.from({ length: 20 }, () => relayer.relay(request)))
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(chain.received).toHaveLength(1)
    await mined()
    expect(await relayer.relay(request)).toMatchObject({ relay: { status: 'confirmed', confirmations: 1 } })
    expect(chain.received).toHaveLength(1)
  })

  test('an action that was accepted while no chain node answered is sent at a later alarm, after an eviction too', async () => {
    chain.refusal = 'internal error'
    const request = action()
    expect(await relayer.relay(request)).toMatchObject({ status: 'accepted', relay: { status: 'queued' } })
    const [first] = chain.received
    await evictDurableObject(relayer)
    chain.refusal = null
    await alarm()
    expect(chain.received).toEqual([first, first])
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent', txHash: first?.hash })
  })

  test('an action whose signature was lost is signed with the nonce it has', async () => {
    const request = action()
    chain.refusal = 'internal error'
    await relayer.relay(request)
    await sqlOn(relayer, 'DELETE FROM attempts')
    await evictDurableObject(relayer)
    chain.refusal = null
    await alarm()
    expect(chain.received.map(({ nonce }) => nonce)).toEqual([0, 0])
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent' })
  })

  test('alarms come while an action is open, and end with the last one', async () => {
    expect(await alarmAt()).toBeNull()
    const request = await relayed()
    expect(await alarmAt()).not.toBeNull()
    for (let early = 0; early < 3; early++) expect(await alarm()).toBe(true)
    expect(chain.received).toHaveLength(1)
    await mined()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'confirmed' })
    expect(await alarmAt()).toBeNull()
  })

  test.each([false, true])(
    'a lost alarm is set again by a call from outside, evicted: %s',
    async (evicted) => {
      await relayer.relay(action())
      await runInDurableObject(relayer, (_, state) => state.storage.deleteAlarm())
      if (evicted) await evictDurableObject(relayer)
      await relayer.wake()
      expect(await alarmAt()).not.toBeNull()
    },
  )

  test('while the chain is down, no action is accepted, and open actions wait', async () => {
    const open = await relayed()
    await evictDurableObject(relayer)
    chain.down = true
    expect(await relayer.relay(action())).toEqual({ status: 'unavailable', part: 'chain' })
    for (let failed = 0; failed < 3; failed++) await alarm()
    expect(await relayer.health()).toMatchObject({ status: 'unavailable', open: 1, nextNonce: 1 })
    chain.down = false
    await mined()
    expect(await relayer.find(open.id)).toMatchObject({ status: 'confirmed' })
    expect(await relayer.health()).toMatchObject({ status: 'ok', open: 0 })
  })

  test('ignores a node of another chain: it supplies no nonce, and does not decide about open actions', async () => {
    chain.refusal = 'internal error'
    const open = await relayed()
    await evictDurableObject(relayer)
    chain.id = 1
    chain.refusal = 'invalid chain id'
    expect(await relayer.relay(action())).toEqual({ status: 'unavailable', part: 'chain' })
    await alarm()
    expect(await relayer.health()).toMatchObject({ status: 'unavailable', balanceWei: null, nextNonce: 1 })
    expect(chain.received).toHaveLength(1)
    chain.id = 31337
    chain.refusal = null
    await alarm()
    expect(await relayer.find(open.id)).toMatchObject({ status: 'sent', error: null })
  })

  test.each([
    ['eth_getBlockByNumber', null],
    ['eth_getBlockByNumber', { number: 'latest' }],
    ['eth_getTransactionCount', null],
    ['eth_getBalance', 'much'],
    ['eth_getTransactionReceipt', {}],
  ])('alarms go on after a node answered %s with %j', async (method, answer) => {
    const open = await relayed()
    chain.mine()
    await evictDurableObject(relayer)
    chain.nonsense.set(method, answer)
    await alarm()
    expect(await alarmAt()).not.toBeNull()
    chain.nonsense.clear()
    await alarm()
    expect(await relayer.find(open.id)).toMatchObject({ status: 'confirmed' })
  })

  const abi = parseAbi(['error Error(string)'])
  const longReason = encodeErrorResult({ abi, errorName: 'Error', args: ['no '.repeat(1_000_000)] })

  test('the revert reason of a contract is cut if it is too long', async () => {
    chain.revert = longReason
    const refused = await relayer.relay(action())
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringMatching(/^no no .*…$/) })
    chain.revert = null
    const request = await relayed()
    chain.minedRevert = longReason
    await mined()
    const { status, error } = (await relayer.find(request.id)) ?? {}
    expect([status, (error as string).length]).toEqual(['reverted', 300])
  })

  test('an action that needs more gas than the limit is refused', async () => {
    chain.gas = 12_000_001
    expect(await relayer.relay(action())).toMatchObject({ status: 'refused', name: 'TooMuchGas' })
    expect(await relayer.relay(action({ gasMax: 12_000_001 }))).toMatchObject({ status: 'refused' })
    chain.gas = 100_000
    const reason = 'it takes 100000 gas; the limit is 99999'
    expect(await relayer.relay(action({ gasMax: 99_999 }))).toMatchObject({ status: 'refused', reason })
    expect(await relayer.relay(action({ gasMax: 100_000 }))).toMatchObject({ status: 'accepted' })
    expect((await relayer.health()).nextNonce).toBe(1)
  })

  test('an action that takes more gas than the node estimates is refused, unless the limit is above that', async () => {
    chain.gasCap = 50_000_000
    chain.gas = 50_000_001
    const reason = 'it takes 50000000 gas; the limit is 12000000'
    expect(await relayer.relay(action())).toMatchObject({ status: 'refused', name: 'TooMuchGas', reason })
    chain.gasCap = 10_000_000
    expect(await relayer.relay(action())).toEqual({ status: 'unavailable', part: 'chain' })
    chain.gasCap = Number.POSITIVE_INFINITY
    chain.gas = 100_000
  })

  test('hundreds of actions that wait for finality do not delay others', async () => {
    await withRelayer({}, async (patient) => {
      const early = Array.from({ length: 450 }, () => action())
      await Promise.all(early.map((request) => patient.relay(request)))
      await mined(patient)
      await patient.alarm()
      expect((await patient.find(early.at(-1)?.id as string))?.confirmations).toBe(1)
      chain.refusal = 'internal error'
      const late = await relayed({}, patient)
      chain.refusal = null
      await patient.alarm()
      expect(await patient.find(late.id)).toMatchObject({ status: 'sent' })
      for (let block = 0; block < 12; block++) chain.mine()
      for (let alarms = 0; alarms < 3; alarms++) await patient.alarm()
      expect(await patient.find(early.at(-1)?.id as string)).toMatchObject({ status: 'confirmed' })
      expect(await patient.find(late.id)).toMatchObject({ status: 'confirmed' })
    })
  })

  test('an alarm that fires while actions are being submitted does not send them a second time', async () => {
    await withRelayer({}, async (sending) => {
      const requests = Array.from({ length: 3 }, () => action())
      for (const request of requests) await sending.accept(request)
      const { promise, resolve: answer } = Promise.withResolvers<void>()
      chain.held = promise
      const submitted = sending.submit(requests.map(({ id }) => id))
      await vi.waitFor(() => expect(chain.received).toHaveLength(3))
      const alarm = sending.alarm()
      answer()
      await Promise.all([submitted, alarm])
      expect(chain.received.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
    })
  })

  test('an action whose nonce a foreign transaction used fails in the end, and is never sent with another nonce', async () => {
    chain.refusal = 'internal error'
    const request = await relayed()
    chain.refusal = null
    chain.mineForeignTransaction((await relayer.health()).signer as string)
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'queued' })
    await sqlOn(relayer, 'UPDATE relays SET foreign_since_ms = 1')
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'failed' })
    expect(new Set(chain.received.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    await relayer.relay(action())
    expect(chain.received.at(-1)).toMatchObject({ nonce: 1 })
  })

  test('copies every state into the database, which is read without the relayer', async () => {
    const request = await relayed()
    await mined()
    const row = await env.DB.prepare('SELECT status, tx_hash, confirmations FROM transactions WHERE id = ?')
      .bind(request.id)
      .first()
    expect(row).toEqual({ status: 'confirmed', tx_hash: chain.received[0]?.hash, confirmations: 1 })
  })

  const published = (id: string) =>
    env.DB.prepare('SELECT status, tx_hash FROM transactions WHERE id = ?').bind(id).first()

  test('an accepted action is published, and is submitted once, however often this is requested', async () => {
    const request = action()
    expect(await relayer.accept(request)).toMatchObject({
      status: 'accepted',
      relay: { id: request.id, status: 'queued', txHash: null },
    })
    expect(await published(request.id)).toEqual({ status: 'queued', tx_hash: null })
    expect(await relayer.health()).toMatchObject({ open: 1, nextNonce: 0 })
    expect(chain.received).toHaveLength(0)

    await Promise.all(Array.from({ length: 5 }, () => relayer.submit([request.id, request.id])))
    expect(await relayer.accept(request)).toMatchObject({ relay: { status: 'sent' } })
    await relayer.submit([request.id])
    expect(chain.received).toHaveLength(1)
    expect(await published(request.id)).toEqual({ status: 'sent', tx_hash: chain.received[0]?.hash })
    expect(await relayer.health()).toMatchObject({ open: 1, nextNonce: 1 })
  })

  test('an unknown action is not submitted', async () => {
    await relayer.submit([action().id])
    expect(chain.received).toHaveLength(0)
    expect(await alarmAt()).toBeNull()
  })

  test('accepted actions are sent in one request, with the nonces that follow', async () => {
    // The chain state that was read for the acceptance serves for a second.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const requests = Array.from({ length: 30 }, () => action())
    await Promise.all(requests.map((request) => relayer.accept(request)))
    const before = vi.mocked(fetch).mock.calls.length
    await relayer.submit(requests.map(({ id }) => id))
    expect(vi.mocked(fetch).mock.calls.length - before).toBe(1)
    expect(chain.received.map(({ nonce }) => nonce)).toEqual(requests.map((_, index) => index))
  })

  test('an action whose message never comes is submitted by an alarm, after an eviction too', async () => {
    const request = action()
    await relayer.accept(request)
    await evictDurableObject(relayer)
    await alarm()
    expect(chain.received).toHaveLength(0)
    expect(await alarmAt()).not.toBeNull()
    await sqlOn(relayer, 'UPDATE relays SET accepted_at_ms = 1000')
    await alarm()
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent', createdAt: 1 })
  })

  test('an action is accepted also when its message cannot be sent', async () => {
    const enqueue = () => Promise.reject(new Error('full'))
    await withRelayer({ enqueue }, async (mute) => {
      expect(await mute.accept(action())).toMatchObject({ status: 'accepted', relay: { status: 'queued' } })
    })
    expect(await alarmAt()).not.toBeNull()
  })

  test('while the chain is down or its fees are too high, accepted actions stay pending', async () => {
    const request = action()
    await relayer.accept(request)
    for (const fault of [{ down: true }, { baseFee: 10n ** 15n }]) {
      await evictDurableObject(relayer)
      const { down, baseFee } = chain
      Object.assign(chain, fault)
      await relayer.submit([request.id])
      Object.assign(chain, { down, baseFee })
      expect(await relayer.find(request.id)).toMatchObject({ status: 'queued', txHash: null })
      expect((await relayer.health()).nextNonce).toBe(0)
    }
    await evictDurableObject(relayer)
    await relayer.submit([request.id])
    expect(await relayer.find(request.id)).toMatchObject({ status: 'sent' })
  })

  test('funds reserved for accepted actions are not reserved twice', async () => {
    const { balanceWei } = await relayer.health()
    const half = ((BigInt(balanceWei as string) * 2n) / 3n).toString()
    expect(await relayer.accept(action({ valueWei: half }))).toMatchObject({ status: 'accepted' })
    for (const evicted of [false, true]) {
      if (evicted) await evictDurableObject(relayer)
      const refused = await relayer.accept(action({ valueWei: half }))
      expect(refused).toEqual({ status: 'unavailable', part: 'balance' })
    }
  })

  test('while an action is pending, the next one with the same serialization key is refused as busy', async () => {
    const [one, two] = [action({ serializationKey: 'a' }), action({ serializationKey: 'a' })]
    await relayer.accept(one)
    await evictDurableObject(relayer)
    expect(await relayer.accept(two)).toEqual({ status: 'busy', id: one.id })
    expect(await relayer.relay(two)).toEqual({ status: 'busy', id: one.id })
  })

  test('only one action per serialization key is in flight at a time', async () => {
    const [one, two] = [action({ serializationKey: 'a' }), action({ serializationKey: 'a' })]
    expect(await relayer.relay(one)).toMatchObject({ status: 'accepted' })
    expect(await relayer.relay(two)).toEqual({ status: 'busy', id: one.id })
    expect(await relayer.relay(action({ serializationKey: 'b' }))).toMatchObject({ status: 'accepted' })
    await mined()
    expect(await relayer.relay(two)).toMatchObject({ status: 'accepted' })
  })
})

describe('a signed action that somebody else submitted to the chain first', () => {
  const foreignHash = `0x${'fe'.repeat(32)}`

  /** A relayer whose action has reverted in a block, and which asks `find` who brought it. */
  const withReverted = async (
    find: RelayerConfig['findForeignSubmission'],
    check: (relayer: RelayerObject, id: string) => Promise<void>,
  ) => {
    const request = action()
    chain.minedRevert = '0xdeadbeef'
    await withRelayer({ confirmations: 1, findForeignSubmission: find }, async (asking) => {
      await asking.relay(request)
      chain.mine()
      await check(asking, request.id)
    })
  }

  test('is confirmed by the transaction that carried it, as soon as that transaction is found', async () => {
    const answers = [() => Promise.reject(new Error('no logs')), async () => ({ txHash: foreignHash })]
    await withReverted(
      () => (answers.shift() as RelayerConfig['findForeignSubmission'])(action(), 0),
      async (asking, id) => {
        await asking.alarm()
        expect(await asking.find(id)).toMatchObject({ status: 'sent', confirmations: 1 })
        await asking.alarm()
        expect(await asking.find(id)).toMatchObject({ status: 'confirmed', txHash: foreignHash, error: null })
      },
    )
  })

  test('is reported as reverted in the end if nobody finds that transaction', async () => {
    await withReverted(
      () => Promise.reject(new Error('no logs')),
      async (asking, id) => {
        chain.head += 50
        await asking.alarm()
        expect(await asking.find(id)).toMatchObject({ status: 'reverted' })
      },
    )
  })
})
