import type { Address } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { projectVaultAbi } from '../contracts/generated/contracts.ts'
import type { Hub } from '../localnet/hub.ts'
import { type Anvil, hasAnvil } from '../testing/anvil.ts'
import { type Call, type Calls, disputeSeconds, graceSeconds, hash } from '../testing/contract-calls.ts'
import { seededRandom } from '../testing/fault-proxy.ts'
import {
  caughtUp,
  expectStatus,
  type IndexerNetwork,
  indexOf,
  rowsOf,
  startIndexerNetwork,
  submitProject,
  windowBlocks,
} from '../testing/indexer-network.ts'

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
    await mineEmpty(80)
    await caughtUp(hub, chain)
    await expect.poll(async () => (await indexOf(hub)).events[0]?.provisional).toBe(0)
    const names = await namesOf(hub)
    await chain.rpc('anvil_reorg', 79, [])
    const { number } = await head()
    await expectStatus(hub, { status: 'degraded', chain: { head_block: number } })
    expect(await namesOf(hub)).toEqual(names)
  })
})
