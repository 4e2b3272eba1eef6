import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Hub } from '../localnet/hub.ts'
import { type Anvil, hasAnvil } from '../testing/anvil.ts'
import type { Calls } from '../testing/contract-calls.ts'
import { type FaultProxy, startFaultProxy } from '../testing/fault-proxy.ts'
import {
  caughtUp,
  expectStatus,
  type IndexerNetwork,
  indexOf,
  rowsOf,
  startIndexerNetwork,
  submitProject,
} from '../testing/indexer-network.ts'
import { startRpcProxy } from '../testing/rpc-proxy.ts'

describe.skipIf(!hasAnvil)('the indexer, behind a node that lags or limits', () => {
  let network: IndexerNetwork
  let chain: Anvil
  let calls: Calls
  let proxy: FaultProxy

  beforeAll(async () => {
    network = await startIndexerNetwork()
    ;({ chain, calls } = network)
  })
  beforeEach(async () => {
    proxy = await startFaultProxy(chain.url)
  })
  afterEach(async () => {
    await network.reset()
    await proxy.stop()
  })
  afterAll(() => network?.stop())

  const finalOf = async (hub: Hub) =>
    Number((await rowsOf(hub, 'SELECT final_number FROM chain_cursor'))[0]?.final_number)

  /** The events of a hub that reads the chain as it is. */
  const expectLikeHonest = async (hub: Hub) => {
    const { events, states } = await indexOf(hub)
    const honest = await network.start({ CHAIN_FINALITY_BLOCKS: '3' })
    await caughtUp(honest, chain)
    await expect.poll(() => finalOf(honest)).toBe((await network.head()).number - 3)
    const now = await indexOf(honest)
    expect(events).toEqual(now.events)
    expect(states).toEqual(now.states)
  }

  test('has every event, even if some or all logs of a block arrive long after its header', async () => {
    proxy.follow(1, 0, { logsLagMs: 3_000 })
    const hub = await network.start({ CHAIN_RPC_URL: proxy.url, CHAIN_FINALITY_BLOCKS: '3' })
    await submitProject(hub, network, 1)
    await caughtUp(hub, chain)
    await network.mine(calls.register(1), calls.bond(0, 500n), calls.createVault(1))
    await network.mine(calls.fund(0, 900n), calls.fund(1, 200n), calls.bond(0, 100n))
    await network.mine(calls.postEpoch(0, 1n, 100n), calls.bond(0, 50n), calls.fund(1, 300n))
    await caughtUp(hub, chain)
    // Events whose logs the node does not show yet come from the receipts.
    expect((await indexOf(hub)).events.length).toBeGreaterThan(2)
    await network.mineEmpty(3)
    await expect.poll(() => finalOf(hub)).toBe((await network.head()).number - 3)
    expect(proxy.faults.get('logs_lag')).toBeGreaterThan(0)
    await expectStatus(hub, {
      status: 'ok',
      chain: { log_differences: expect.toSatisfy((count: number) => count > 0) },
    })
    await expectLikeHonest(hub)
  })

  test('follows a node that answers 60 % of its requests with 429, and misses no event', async () => {
    proxy.follow(2, 0, { rateLimited: 0.6 })
    const hub = await network.start({ CHAIN_RPC_URL: proxy.url, CHAIN_FINALITY_BLOCKS: '3' })
    await network.mine(calls.register(1), calls.bond(0, 500n))
    await caughtUp(hub, chain)
    await network.mineEmpty(120)
    await caughtUp(hub, chain)
    await expect.poll(() => finalOf(hub)).toBe((await network.head()).number - 3)
    expect(proxy.faults.get('rate_limited')).toBeGreaterThan(3)
    await expectLikeHonest(hub)
  })

  test('accepts a node that is eight blocks behind, and continues once it has caught up', async () => {
    let lag = 0
    let asked = 0
    const head = async () => (await network.head()).number
    let seen = await head()
    const lagging = await startRpcProxy(chain.url, (call, reply) => {
      if (call.method !== 'eth_getBlockByNumber' || lag === 0) return reply
      const { number } = (reply.result ?? {}) as { number?: string }
      if (number === undefined || Number(number) <= seen - lag) return reply
      asked += 1
      return { ...reply, result: call.params[0] === 'latest' ? older : null }
    })
    const hub = await network.start({ CHAIN_RPC_URL: lagging.url })
    for (let block = 0; block < 10; block++) await network.mine(calls.bond(0, 100n))
    await caughtUp(hub, chain)
    const before = await indexOf(hub)
    seen = await head()
    const older = await chain.rpc('eth_getBlockByNumber', `0x${(seen - 8).toString(16)}`, false)
    lag = 8
    await expect.poll(() => asked).toBeGreaterThan(100)
    expect(await indexOf(hub)).toEqual(before)
    lag = 0
    await network.mine(calls.bond(0, 100n))
    await caughtUp(hub, chain)
    expect((await indexOf(hub)).events).toHaveLength(before.events.length + 1)
    await lagging.stop()
  })

  test('starts again if a reorganisation removes its first block before it is final', async () => {
    await network.mineEmpty(3)
    const { number } = await network.head()
    const hub = await network.start({ CHAIN_START_BLOCK: String(number) })
    await network.mine(calls.bond(0, 100n))
    await caughtUp(hub, chain)
    await chain.rpc('anvil_reorg', 4, [])
    await network.mine(calls.bond(0, 300n))
    await caughtUp(hub, chain)
    // The node may have the header before the logs of the block.
    await expect.poll(async () => (await indexOf(hub)).events.map(({ name }) => name)).toEqual(['Bonded'])
    await expectStatus(hub, { status: 'ok', chain: { halted: null } })
  })

  test('reads a history of 1,000 blocks and its events with few calls', async () => {
    const byMethod = new Map<string, number>()
    const counting = await startRpcProxy(chain.url, ({ method }, reply) => {
      byMethod.set(method, (byMethod.get(method) ?? 0) + 1)
      return reply
    })
    const hub = await network.start(
      { CHAIN_RPC_URL: counting.url, CHAIN_FINALITY_BLOCKS: '64', CHAIN_BLOCK_SECS: '1' },
      { asleep: true },
    )
    for (let part = 0; part < 4; part++) {
      await network.mine(calls.bond(0, 100n), calls.fund(0, 10n))
      await network.mineEmpty(250)
    }
    await hub.runSchedule()
    await caughtUp(hub, chain)
    const total = [...byMethod.values()].reduce((sum, count) => sum + count, 0)
    // The blocks near the head are read one by one, 128 of them at least.
    expect(total).toBeLessThan(200)
    await counting.stop()
    await expect.poll(() => rowsOf(hub, 'SELECT count(*) AS n FROM chain_events')).toEqual([{ n: 10 }])
  })
})
