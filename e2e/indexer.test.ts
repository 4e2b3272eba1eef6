import type { Address } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { projectVaultAbi } from '../contracts/generated/contracts.ts'
import type { Hub } from '../localnet/hub.ts'
import { type Anvil, hasAnvil } from '../testing/anvil.ts'
import { type Call, type Calls, disputeSeconds, graceSeconds, hash } from '../testing/contract-calls.ts'
import { type FaultProxy, seededRandom, startFaultProxy } from '../testing/fault-proxy.ts'
import {
  caughtUp,
  expectStatus,
  type IndexerNetwork,
  indexOf,
  isFinal,
  rowsOf,
  startIndexerNetwork,
  submitProject,
  windowBlocks,
} from '../testing/indexer-network.ts'
import { startRpcProxy } from '../testing/rpc-proxy.ts'

const address = (who: number) => `0x${who}${'f'.repeat(39)}`

/** Any of these calls. A call that the contracts refuse leaves no event. */
function anything(calls: Calls, random: () => number): Call {
  const below = (limit: number) => Math.floor(random() * limit)
  const who = below(3)
  const amount = BigInt(1 + below(1_000))
  const epoch = BigInt(below(4))
  const evidence = hash(`evidence ${below(4)}`)
  const choices = [
    calls.register(who),
    calls.publish(who, 2 + below(40)),
    calls.list(who, 3 + below(2)),
    calls.bond(who, amount),
    calls.bond(who, amount),
    calls.setPayout(who, address(who)),
    calls.unbond(who),
    calls.proposeSlash(who, evidence, amount),
    calls.disputeSlash(evidence),
    calls.cancelSlash(evidence),
    calls.fund(who, amount),
    calls.fund(who, amount),
    calls.postEpoch(who, epoch, amount),
    calls.postEpoch(who, epoch, amount),
    calls.veto(who, epoch),
    calls.reopen(who, epoch),
    calls.requestWithdrawal(who, amount),
  ]
  return choices[below(choices.length)] as Call
}

describe.skipIf(!hasAnvil)('the indexer', () => {
  let network: IndexerNetwork
  let chain: Anvil
  let calls: Calls
  let foreign: Calls

  beforeAll(async () => {
    network = await startIndexerNetwork()
    ;({ chain, calls, foreign } = network)
  })
  afterEach(() => network.reset())
  afterAll(() => network?.stop())

  const start = () => network.start()
  const { mine, mineEmpty, head } = {
    mine: (...transactions: Call[]) => network.mine(...transactions),
    mineEmpty: (blocks: number) => network.mineEmpty(blocks),
    head: () => network.head(),
  }

  /** Compares the index with one that the hub reads again from an empty one. */
  const expectLikeFresh = async (hub: Hub) => {
    await caughtUp(hub, chain)
    const indexed = await indexOf(hub)
    const tables = ['chain_cursor', 'chain_events', 'chain_states', 'chain_states_before', 'chain_blocks']
    // One call, and so one transaction.
    await rowsOf(hub, tables.map((table) => `DELETE FROM ${table}`).join(';'))
    await caughtUp(hub, chain)
    const again = await indexOf(hub)
    expect(indexed.events).toEqual(again.events)
    expect(indexed.before).toEqual(again.before)
    expect(indexed.states).toEqual(again.states)
  }

  const namesOf = async (hub: Hub) => (await indexOf(hub)).events.map(({ name }) => name)

  test('stores events with their block, and the resulting project, subscription and slash', async () => {
    const hub = await start()
    const evidence = hash('evidence')
    await mine(calls.bond(0, 500n))
    await mine(calls.bond(0, 200n), foreign.register(1), calls.proposeSlash(0, evidence, 100n))
    await chain.rpc('evm_increaseTime', disputeSeconds + graceSeconds)
    await mine(calls.executeSlash(evidence))
    await caughtUp(hub, chain)
    const { events, states } = await indexOf(hub)
    expect(events.map(({ name, provisional }) => [name, provisional])).toEqual([
      ['ProjectRegistered', 1],
      ['VaultCreated', 1],
      ['Bonded', 1],
      ['Bonded', 1],
      ['SlashProposed', 1],
      ['SlashExecuted', 1],
    ])
    const state = (kind: string) => JSON.parse(String(states.find((row) => row.kind === kind)?.state))
    expect(state('project')).toMatchObject({ slug: 'project-0', developer: network.sender, version: 1 })
    expect(state('vault')).toMatchObject({
      project_id: calls.projectId(0),
      token: network.deployment.contracts.token,
      funded: '0',
    })
    expect(state('subscription')).toMatchObject({
      owner: network.sender,
      collateral: '600',
      slashed_total: '100',
      status: 'bonded',
      payout: network.sender,
    })
    expect(state('slash')).toMatchObject({
      subscription_id: calls.subscriptionId(0),
      status: 'executed',
      taken: '100',
    })
    await mineEmpty(70)
    await expect
      .poll(async () => (await indexOf(hub)).events.map(({ provisional }) => provisional))
      .toEqual([0, 0, 0, 0, 0, 0])
  })

  test('has the same balances of a vault as the contract', async () => {
    const hub = await start()
    await mine(calls.fund(0, 900n), calls.postEpoch(0, 1n, 100n), calls.postEpoch(0, 2n, 200n))
    await mine(calls.veto(0, 1n), calls.requestWithdrawal(0, 50n))
    await caughtUp(hub, chain)
    const vault = (await indexOf(hub)).states.find(({ kind }) => kind === 'vault')
    const to = vault?.subject as Address
    const summary = decodeFunctionResult({
      abi: projectVaultAbi,
      functionName: 'summary',
      data: await chain.rpc(
        'eth_call',
        { to, data: encodeFunctionData({ abi: projectVaultAbi, functionName: 'summary' }) },
        'latest',
      ),
    })
    expect(JSON.parse(String(vault?.state))).toMatchObject({
      funded: String(summary.totalFunded),
      reserved: String(summary.reserved),
      total_paid: String(summary.totalPaid),
      withdrawal: {
        amount: String(summary.pendingWithdrawal),
        available_at: Number(summary.withdrawalAvailableAt),
      },
    })
    expect(summary.reserved).toBe(203n)
  })

  test('moves a submitted project to review when its registration is indexed, and back when that is undone', async () => {
    const hub = await start()
    await submitProject(hub, network, 1)
    const listing = async () => (await rowsOf(hub, 'SELECT listing_status FROM projects'))[0]?.listing_status
    await mineEmpty(3)
    await mine(calls.register(1))
    await expect.poll(listing).toBe('pending_review')
    await chain.rpc('anvil_reorg', 1, [])
    await expect.poll(listing).toBe('submitted')
  })

  test.each([1, 3, windowBlocks + 5])(
    'after a reorganisation of %i blocks it equals a fresh index',
    async (depth) => {
      const random = seededRandom(depth)
      const hub = await start()
      await mine(calls.register(1), calls.createVault(1), calls.fund(0, 700n))
      for (let block = 0; block < depth + 5; block++)
        await mine(...Array.from({ length: 3 }, () => anything(random() < 0.9 ? calls : foreign, random)))
      await caughtUp(hub, chain)
      expect((await namesOf(hub)).length).toBeGreaterThan(depth + 5)
      const before = await head()
      const replacements = Array.from({ length: depth }, (_, block) => [
        { from: network.sender, gas: '0x7a120', ...anything(calls, random) },
        block,
      ])
      await chain.rpc('anvil_reorg', depth, replacements)
      const after = await head()
      expect(after.number).toBe(before.number)
      expect(after.hash).not.toBe(before.hash)
      await expectLikeFresh(hub)
      await mine(anything(calls, random), anything(calls, random))
      await expectLikeFresh(hub)
    },
  )

  test('old payout addresses are deleted, and a hub that reads the chain again has the same rows', async () => {
    const day = 86_400
    const hub = await start()
    await mine(calls.bond(0, 500n), calls.setPayout(0, address(1)), calls.fund(0, 7n))
    await mine(calls.setPayout(0, address(2)))
    await chain.rpc('evm_increaseTime', 2 * day)
    await mine(calls.setPayout(0, address(3)))
    await mineEmpty(80)
    await caughtUp(hub, chain)
    await expect.poll(async () => (await indexOf(hub)).events.at(-1)?.provisional).toBe(0)
    await mine(calls.fund(0, 9n))
    await caughtUp(hub, chain)
    await expect.poll(() => namesOf(hub)).toEqual(['Bonded', 'PayoutSet', 'PayoutSet', 'VaultFunded'])
    await expectLikeFresh(hub)
  })

  test('a chain that has become shorter is followed as soon as it has another block', async () => {
    const random = seededRandom(7)
    const hub = await start()
    await mine(calls.register(1))
    for (let block = 0; block < 8; block++) await mine(anything(calls, random), anything(calls, random))
    await caughtUp(hub, chain)
    await chain.rpc('anvil_rollback', 4)
    await mine(anything(calls, random))
    await expectLikeFresh(hub)
  })

  test('final blocks that disappear stop the index, and the status reports it', async () => {
    const hub = await start()
    await mine(calls.register(1))
    const registered = await head()
    // More than are not final yet (64) and than the hub lets pass before it asks again what is (16).
    await mineEmpty(90)
    await caughtUp(hub, chain)
    await isFinal(hub, registered.number + 2)
    await expect.poll(async () => (await indexOf(hub)).events.at(-1)?.provisional).toBe(0)
    const names = await namesOf(hub)
    await chain.rpc('anvil_reorg', 89, [])
    const { number } = await head()
    await expectStatus(hub, { status: 'degraded', chain: { head_block: number } })
    expect(await namesOf(hub)).toEqual(names)
  })

  describe('behind a node that lags or limits', () => {
    let proxy: FaultProxy

    beforeEach(async () => {
      proxy = await startFaultProxy(chain.url)
    })
    afterEach(() => proxy.stop())

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
})
