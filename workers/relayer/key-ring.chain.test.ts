import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { RelayerObject, type RelayRequest } from '../../durable-objects/relayer/object.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { relayRequest } from '../../durable-objects/testing/relay-request.ts'
import {
  freshRelayerObject,
  relayerConfig,
  relayerObjectOf,
} from '../../durable-objects/testing/relayer-object.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import hub from '../index.ts'
import { services } from '../services.ts'
import { bodyOf, client } from '../test/client.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { runSql } from '../test/tables.ts'

const previousKey = env.RELAYER_PREVIOUS_KEYS as string
const arbiterKey = env.ARBITER_PRIVATE_KEY as string
const previous = relayerObjectOf(previousKey)

let chain: FakeChain
beforeEach(async () => {
  chain = new FakeChain().install()
  await freshRelayerObject()
  await freshRelayerObject(previousKey)
})

const action = (over: Partial<RelayRequest> = {}) => relayRequest({ action: 'faucet', ...over })

const { relayer, arbiter } = services(env)

/** Runs work on the object of the previous key, with the settings under which that key was the one that relays. */
const underOldSettings = <T>(work: (object: RelayerObject) => Promise<T>): Promise<T> =>
  runInDurableObject(previous, (instance, state) =>
    work(new RelayerObject(state, instance, relayerConfig({ privateKey: previousKey }))),
  )

describe('the object of a key', () => {
  test.each(['31337:0x0000000000000000000000000000000000000001', `1:${relayer?.signer}`, 'a name'])(
    'signs nothing and keeps its rows if the key is not configured, or is on another chain: %s',
    async (name) => {
      const stray = env.RELAYER.getByName(name)
      const open = action()
      await runInDurableObject(stray, (instance, state) =>
        new RelayerObject(state, instance, relayerConfig()).accept(open),
      )
      await evictDurableObject(stray)
      await stray.submit([open.id])
      await stray.wake()
      await runDurableObjectAlarm(stray)
      expect(await stray.relay(action())).toEqual({ status: 'unavailable', part: 'chain' })
      expect(chain.received).toEqual([])
      expect(await stray.find(open.id)).toMatchObject({ status: 'queued' })
      expect(await stray.health()).toMatchObject({ signer: null, status: 'unavailable', open: 1 })
    },
  )

  test('that was replaced accepts no actions, and completes its open ones with its own key', async () => {
    const open = action()
    await underOldSettings((object) => object.accept(open))
    expect(await previous.accept(action())).toEqual({ status: 'unavailable', part: 'key' })
    await relayer?.submit([open.id])
    await hub.scheduled({ cron: '', scheduledTime: 0, noRetry() {} }, env)
    expect(chain.received).toMatchObject([{ from: evmAddress(previousKey), nonce: 0 }])
    const status = () => bodyOf(client({ bindings: {} }).get('/v1/status'))
    expect(await status()).toMatchObject({ previous_keys: [{ address: evmAddress(previousKey), open: 1 }] })
    chain.mine()
    await runDurableObjectAlarm(previous)
    expect(await relayer?.find(open.id)).toMatchObject({ status: 'confirmed' })
    expect(await status()).toMatchObject({ previous_keys: [{ open: 0 }] })
  })
})

describe('an action that a key accepted', () => {
  test('is not accepted again by the next key', async () => {
    const open = action()
    await underOldSettings((object) => object.relay(open))
    for (const again of [await relayer?.relay(open), await relayer?.accept(open)])
      expect(again).toMatchObject({ status: 'accepted', relay: { id: open.id, status: 'sent' } })
    await relayer?.submit([open.id])
    expect(chain.received).toHaveLength(1)
  })

  test('gets the same answer as before, even when the allowance under the next key is used up', async () => {
    const daily = { action: 'set_payout', perDay: 1 }
    const open = action(daily)
    await underOldSettings((object) => object.relay(open))
    await relayer?.relay(action(daily))
    expect(await relayer?.accept(action(daily))).toMatchObject({ status: 'exhausted' })
    expect(await relayer?.accept(open)).toMatchObject({ status: 'accepted', relay: { id: open.id } })
  })

  test('makes the next action with its serialization key wait, also under the next key', async () => {
    const open = action({ serializationKey: 'an owner' })
    await underOldSettings((object) => object.accept(open))
    expect(await relayer?.accept(action({ serializationKey: 'an owner' }))).toEqual({
      status: 'busy',
      id: open.id,
    })
  })

  test('is not accepted again if its key is no longer known, according to the database', async () => {
    const { id } = action()
    const row = `INSERT INTO transactions (id, action, owner, status, confirmations, created_at, updated_at, revision)
      VALUES (?, 'faucet', 'o', 'confirmed', 12, 1, 1, ?)`
    await runSql(row, id, 3)
    expect(await relayer?.relay({ ...action(), id })).toMatchObject({
      status: 'accepted',
      relay: { id, status: 'confirmed', confirmations: 12 },
    })
    expect(chain.received).toEqual([])
    // An action that was refused before any key accepted it may be requested again.
    const refused = action()
    await runSql(row, refused.id, 0)
    expect(await relayer?.relay(refused)).toMatchObject({ status: 'accepted', relay: { status: 'sent' } })
  })

  test('is not accepted while the records of earlier keys cannot be read', async () => {
    await runInDurableObject(await freshRelayerObject(), async (instance, state) => {
      const findElsewhere = async () => {
        await failingDatabase(() => true)
          .prepare('SELECT 1')
          .first()
        return null
      }
      const object = new RelayerObject(state, instance, relayerConfig({ findElsewhere }))
      expect(await object.relay(action())).toEqual({ status: 'unavailable', part: 'records' })
    })
    expect(chain.received).toEqual([])
  })
})

describe('at the moment of rotation', () => {
  test('if hubs with old and new settings relay one action at once, only one of the two objects accepts it', async () => {
    const request = action()
    // The old object is asked first, and is waiting for the trial run when the new one accepts.
    let tried = () => {}
    chain.heldTrials = new Promise((resolve) => {
      tried = resolve
    })
    const old = underOldSettings((object) => object.relay(request))
    await vi.waitFor(() => expect(chain.trials).toBe(1))
    chain.heldTrials = null
    expect(await relayer?.relay(request)).toMatchObject({ status: 'accepted' })
    tried()
    expect(await old).toEqual({ status: 'unavailable', part: 'key' })
    expect(chain.received).toMatchObject([{ from: relayer?.signer }])
    // From now on it says so without being asked to hand over.
    expect(await underOldSettings((object) => object.relay(action()))).toEqual({
      status: 'unavailable',
      part: 'key',
    })
  })
})

describe('after a rollback', () => {
  test('health says that the key accepts nothing yet, while it completes its open actions', async () => {
    const open = action()
    await relayer?.relay(open)
    expect(await relayer?.health()).toMatchObject({ status: 'ok', open: 1 })
    // As the object of the key did that was configured in between.
    await relayerObjectOf(env.RELAYER_PRIVATE_KEY as string).handOver({ ...action(), serializationKey: null })
    expect(await relayer?.relay(action())).toEqual({ status: 'unavailable', part: 'key' })
    expect(await relayer?.health()).toMatchObject({ status: 'unavailable', open: 1 })
  })
})

describe('the arbiter', () => {
  test('relays under a key of its own, with nonces of its own', async () => {
    await relayer?.relay(action())
    const own = action()
    expect(await arbiter?.relay(own)).toMatchObject({ status: 'accepted', relay: { status: 'sent' } })
    expect(arbiter?.signer).toBe(evmAddress(arbiterKey))
    expect(chain.received.map(({ from, nonce }) => [from, nonce])).toEqual([
      [relayer?.signer, 0],
      [arbiter?.signer, 0],
    ])
    chain.mine()
    await runDurableObjectAlarm(relayerObjectOf(arbiterKey))
    expect(await arbiter?.find(own.id)).toMatchObject({ status: 'confirmed' })
    expect(await relayer?.find(own.id)).toBeNull()
  })
})
