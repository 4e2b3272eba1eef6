import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '../localnet/accounts.ts'
import type { Hub } from '../localnet/hub.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { type Anvil, hasAnvil, startAnvil } from '../testing/anvil.ts'
import { statusAsOfNow } from '../testing/breakable-hub.ts'
import { type Calls, hash } from '../testing/contract-calls.ts'
import {
  caughtUp,
  effectsOf,
  expectStatus,
  type IndexerNetwork,
  indexOf,
  isFinal,
  rowsOf,
  startIndexerNetwork,
  submitProject,
  submitVersion,
  subscribe,
  wake,
} from '../testing/indexer-network.ts'
import { deployFlood } from '../testing/log-flood.ts'
import { refusingLogsAbove, startRpcProxy } from '../testing/rpc-proxy.ts'
import { freshAddress, signIn } from '../testing/session.ts'
import { eventTopics } from '../workers/chain/abi.ts'

// A hub may look again only after a minute.
const operator = { OPERATOR_ADDRESSES: accounts.operator.address.toLowerCase() }
const finalityBlocks = 12

describe.skipIf(!hasAnvil)('the indexer, under faults and attacks', () => {
  let network: IndexerNetwork
  let chain: Anvil
  let calls: Calls
  const cleanUps: (() => Promise<void>)[] = []

  beforeAll(async () => {
    network = await startIndexerNetwork()
    ;({ chain, calls } = network)
  })
  afterEach(async () => {
    await network.reset()
    for (const cleanUp of cleanUps.splice(0)) await cleanUp()
  })
  afterAll(() => network?.stop())

  const slugs = async (hub: Hub) =>
    (
      await rowsOf(hub, "SELECT state->>'slug' AS slug FROM chain_states WHERE kind = 'project' ORDER BY 1")
    ).map(({ slug }) => slug)

  const reindex = async (hub: Hub) => {
    const session = await signIn(hub.urls[0] as URL, freshAddress(), privateKeys.operator)
    return session.post('/admin/v1/reindex', { reason: 'The chain is right again.' })
  }

  test('a block flooded with similar logs does not stop it, behind a node that returns few logs', async () => {
    const proxy = await startRpcProxy(chain.url, refusingLogsAbove(10_000))
    cleanUps.push(proxy.stop)
    const hub = await network.start({ CHAIN_RPC_URL: proxy.url })
    const { fill } = await deployFlood(chain, network.sender, eventTopics[0] as string)
    expect(await fill()).toBe(34_000)
    await network.mine(calls.register(1))
    await caughtUp(hub, chain)
    expect(await slugs(hub)).toEqual(['project-0', 'project-1'])
    expect(await statusAsOfNow(hub)).toMatchObject({ status: 'ok' })
  })

  test('its events come from the receipts if the node refuses every request for logs', async () => {
    const proxy = await startRpcProxy(chain.url, refusingLogsAbove(0))
    cleanUps.push(proxy.stop)
    const hub = await network.start({ CHAIN_RPC_URL: proxy.url })
    await network.mine(calls.register(1), calls.fund(0, 900n))
    await caughtUp(hub, chain)
    expect((await indexOf(hub)).events.map(({ name }) => name)).toEqual([
      'ProjectRegistered',
      'VaultCreated',
      'ProjectRegistered',
      'VaultFunded',
    ])
  })

  test('reports that it has stopped as soon as it no longer follows the head', async () => {
    let refuses = false
    const proxy = await startRpcProxy(chain.url, (call, reply) =>
      refuses && /Logs|Receipt/.test(call.method)
        ? { id: reply.id, jsonrpc: '2.0', error: { code: -32_000, message: 'internal error' } }
        : reply,
    )
    cleanUps.push(proxy.stop)
    const hub = await network.start({ CHAIN_RPC_URL: proxy.url })
    await network.mine(calls.register(1))
    await caughtUp(hub, chain)
    const { number: before } = await network.head()
    refuses = true
    await network.mine(calls.register(2))
    await expectStatus(hub, { status: 'degraded', chain: { indexed_block: before, head_block: before + 1 } })
    const { chain: facts } = (await statusAsOfNow(hub)) as { chain: { lag_secs: number } }
    expect(facts.lag_secs).toBeLessThan(60)
    refuses = false
    await caughtUp(hub, chain)
    await expectStatus(hub, { status: 'ok' })
  })

  test('settings of another network halt it, until an operator restarts it with a reindex', async () => {
    const { deployment: other, register } = network.foreign
    const first = await network.start(operator)
    await network.mine(calls.register(1))
    await caughtUp(first, chain)
    await network.mine(register(2))
    await caughtUp(first, chain)
    const before = await indexOf(first)

    const hub = await network.start(
      {
        ...operator,
        CHAIN_CONTRACTS: JSON.stringify(other.contracts),
        CHAIN_START_BLOCK: String(other.startBlock),
      },
      { keeps: true },
    )
    await expectStatus(hub, {
      status: 'degraded',
      chain: { halted: expect.stringMatching(/project_registry.*start_block.*operator -- reindex/) },
    })
    expect(await indexOf(hub)).toEqual(before)
    expect((await reindex(hub)).status).toBe(200)
    await network.mineEmpty(1)
    await caughtUp(hub, chain)
    expect(await slugs(hub)).toEqual(['project-0', 'project-2'])
    await expectStatus(hub, { status: 'ok', chain: { halted: null } })
  })

  test('a reindex after final blocks disappeared gives the same records as a fresh hub', async () => {
    const records = async (hub: Hub) => {
      for (const who of [0, 1, 2]) await submitProject(hub, network, who)
      for (const who of [0, 1]) await submitVersion(hub, calls, who, 2)
      for (const who of [0, 1]) await subscribe(hub, network, who)
    }
    const finality = { ...operator, CHAIN_FINALITY_BLOCKS: String(finalityBlocks) }
    const finalised = async (hub: Hub) => {
      await caughtUp(hub, chain)
      await isFinal(hub, (await network.head()).number - finalityBlocks)
    }
    const hub = await network.start(finality)
    await records(hub)
    await network.mine(calls.bond(0, 500n), calls.publish(0, 2))
    await caughtUp(hub, chain)
    await network.mine(calls.register(1), calls.bond(1, 500n), calls.publish(1, 2))
    await network.mineEmpty(30)
    await finalised(hub)
    expect(new Set((await effectsOf(hub)).projects.map(({ miners }) => miners))).toEqual(new Set([0, 1]))
    expect((await effectsOf(hub)).versions.filter(({ status }) => status === 'registered')).toHaveLength(2)

    await chain.rpc('anvil_reorg', 31, [])
    await expectStatus(hub, {
      status: 'degraded',
      chain: { halted: expect.stringMatching(/final.*operator -- reindex/) },
    })
    expect((await reindex(hub)).status).toBe(200)
    await network.mine(calls.register(2))
    await finalised(hub)
    const [indexed, effects] = [await indexOf(hub), await effectsOf(hub)]
    expect(effects.projects.map(({ listing_status }) => listing_status).sort()).toEqual([
      'pending_review',
      'pending_review',
      'submitted',
    ])

    const fresh = await network.start(finality, { asleep: true })
    await records(fresh)
    await wake(fresh)
    await finalised(fresh)
    expect(await indexOf(fresh)).toEqual(indexed)
    expect(await effectsOf(fresh)).toEqual(effects)
  })

  test('final blocks that disappear while later ones are confirmed halt it', async () => {
    let replacedAt: number | null = null
    const proxy = await startRpcProxy(chain.url, async ({ method, params }, reply) => {
      const { toBlock } = (params[0] ?? {}) as { toBlock?: string }
      if (method === 'eth_getLogs' && Number(toBlock) === replacedAt) {
        replacedAt = null
        await chain.rpc('anvil_reorg', 40, [])
      }
      return reply
    })
    cleanUps.push(proxy.stop)
    const hub = await network.start({
      CHAIN_RPC_URL: proxy.url,
      CHAIN_FINALITY_BLOCKS: String(finalityBlocks),
    })
    await network.mine(calls.register(1))
    const { number } = await network.head()
    await network.mineEmpty(finalityBlocks)
    await caughtUp(hub, chain)
    await isFinal(hub, number)
    const before = await indexOf(hub)
    // That many blocks are read at once, and then those that are final of them once more.
    replacedAt = number + 25
    await network.mineEmpty(25)
    await expectStatus(hub, {
      status: 'degraded',
      chain: { halted: expect.stringMatching(/final.*operator -- reindex/) },
    })
    expect((await indexOf(hub)).events).toEqual(before.events)
  })

  test('a later version does not hide that the first was registered with other hashes', async () => {
    const hub = await network.start()
    await submitProject(hub, network, 1)
    await submitProject(hub, network, 2)
    await network.mine(calls.register(1, calls.hashes(0)))
    await network.mine(calls.publish(1, 2, { manifestHash: hash('junk'), consensusHash: hash('junk') }))
    await network.mine(
      calls.register(2, { ...calls.hashes(2), consensusHash: hash('another consensus') }),
      calls.publish(2, 2),
    )
    await caughtUp(hub, chain)
    expect((await effectsOf(hub)).projects.map(({ listing_status }) => listing_status)).toEqual([
      'submitted',
      'submitted',
    ])
  })

  test('versions that are published in one range of blocks are registered, each by its own hashes', async () => {
    const hub = await network.start({ CHAIN_START_BLOCK: String(network.deployment.startBlock) })
    await submitProject(hub, network, 1)
    for (const version of [2, 3, 4]) await submitVersion(hub, calls, 1, version)
    await network.mine(
      calls.register(1),
      calls.publish(1, 2),
      calls.publish(1, 3, { ...calls.hashes(1, 3), consensusHash: hash('another consensus') }),
      calls.publish(1, 4),
    )
    await caughtUp(hub, chain)
    expect((await effectsOf(hub)).versions.map(({ status }) => status)).toEqual([
      'active',
      'registered',
      'submitted',
      'registered',
    ])
    await chain.rpc('anvil_reorg', 1, [])
    await caughtUp(hub, chain)
    expect((await effectsOf(hub)).versions.map(({ status }) => status)).toEqual(Array(4).fill('submitted'))
  })

  test('an epoch that was vetoed and reopened is indexed with all its parts, and undone', async () => {
    const hub = await network.start()
    await network.mine(calls.fund(0, 900n), calls.postEpoch(0, 1n, 100n))
    await network.mine(calls.veto(0, 1n))
    const epoch = async () => {
      await caughtUp(hub, chain)
      const row = (await indexOf(hub)).states.find(({ kind }) => kind === 'epoch')
      return JSON.parse(String(row?.state)) as Record<string, unknown>
    }
    expect(await epoch()).toMatchObject({ vetoed: true, reopened: false })
    await network.mine(calls.reopen(0, 1n))
    expect(await epoch()).toMatchObject({ vetoed: true, reopened: true })
    await network.mine(calls.postEpoch(0, 1n, 200n))
    const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await epoch()).toMatchObject({
      receipt_hash: hash('receipt 1'),
      release_at: expect.any(Number),
      posted_at: Number(timestamp),
      miner: '200',
      developer: '2',
      treasury: '1',
      total: '203',
      fees: '3',
      vetoed: false,
      reopened: false,
    })
    await chain.rpc('anvil_reorg', 2, [])
    expect(await epoch()).toMatchObject({ miner: '100', vetoed: true, reopened: false })
  })

  test('a node that is down is skipped; one with another history halts the index with the reason', async () => {
    const down = 'http://127.0.0.1:9'
    const hub = await network.start({ CHAIN_RPC_URL: `${down}, ${chain.url}` })
    await network.mine(calls.register(1))
    await caughtUp(hub, chain)
    expect(await statusAsOfNow(hub)).toMatchObject({ status: 'ok' })

    const fork = await startAnvil()
    cleanUps.push(fork.stop)
    await fork.rpc('anvil_mine', `0x${(await network.head()).number.toString(16)}`)
    const forked = await network.start({ CHAIN_RPC_URL: `${chain.url},${fork.url}` }, { keeps: true })
    await expectStatus(forked, {
      status: 'degraded',
      chain: { halted: expect.stringMatching(/CHAIN_RPC_URL.*another block/) },
    })
    const names = (await indexOf(forked)).events.map(({ name }) => name)
    await network.mine(calls.register(2))
    await expectStatus(forked, { chain: { head_block: (await network.head()).number } })
    expect((await indexOf(forked)).events.map(({ name }) => name)).toEqual(names)
  })
})
