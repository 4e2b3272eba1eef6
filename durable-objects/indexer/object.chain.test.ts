import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../testing/fake-chain.ts'

let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain().install()
})
afterEach(() => {
  vi.useRealTimers()
})

const indexer = () => env.CHAIN_INDEXER.getByName('31337')
const cursor = () => env.DB.prepare('SELECT block_number FROM chain_cursor').first<number>('block_number')
const alarmAt = () => runInDurableObject(indexer(), (_, state) => state.storage.getAlarm())

describe('ChainIndexer', () => {
  test('starts when woken, continues by itself, and resumes at the same block after an eviction', async () => {
    expect(await alarmAt()).toBeNull()
    await indexer().wake()
    await runDurableObjectAlarm(indexer())
    expect(await cursor()).toBe(10)
    expect(await alarmAt()).not.toBeNull()
    await evictDurableObject(indexer())
    chain.head = 250
    await runDurableObjectAlarm(indexer())
    expect(await cursor()).toBe(250)
    expect(await indexer().status()).toMatchObject({ state: 'ok', indexedBlock: 250, headBlock: 250 })
  })

  test('an alarm that comes twice or too early changes nothing', async () => {
    chain.head = 250
    await indexer().wake()
    for (let i = 0; i < 3; i++) await runDurableObjectAlarm(indexer())
    expect(await cursor()).toBe(250)
  })

  test('when woken, it sets a long overdue alarm again, and leaves one that is not overdue', async () => {
    await runDurableObjectAlarm(indexer())
    const set = (await alarmAt()) as number
    await indexer().wake()
    expect(await alarmAt()).toBe(set)
    const day = 86_400_000
    vi.useFakeTimers({ toFake: ['Date'], now: set + day })
    await indexer().wake()
    expect(await alarmAt()).toBe(set + day)
    vi.useRealTimers()
    await runDurableObjectAlarm(indexer())
  })

  test('while the chain is down, it reports so and tries again', async () => {
    chain.down = true
    await runDurableObjectAlarm(indexer())
    expect(await indexer().status()).toMatchObject({ state: 'unreachable' })
    expect(await alarmAt()).not.toBeNull()
    chain.down = false
    chain.head = 251
    await runDurableObjectAlarm(indexer())
    expect(await cursor()).toBe(251)
  })

  test('reports that it stands still after two alarms in a row without progress, until one makes progress', async () => {
    const stands = async () => {
      await runDurableObjectAlarm(indexer())
      return (await indexer().status()).stands
    }
    chain.head = 251
    expect(await stands()).toBe(false)
    chain.down = true
    expect([await stands(), await stands()]).toEqual([false, true])
    chain.down = false
    expect(await stands()).toBe(false)
  })

  test('a node that lags behind is not treated as a reorganisation', async () => {
    chain.head = 200
    for (let i = 0; i < 3; i++) await runDurableObjectAlarm(indexer())
    expect(await indexer().status()).toMatchObject({ state: 'suspect' })
    expect(await cursor()).toBe(251)
    chain.head = 252
    await runDurableObjectAlarm(indexer())
    expect(await cursor()).toBe(252)
  })
})
