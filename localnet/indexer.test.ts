import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  toHex,
} from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ContractAddresses, Deployment } from '../contracts/deploy.ts'
import {
  hubTokenAbi,
  projectRegistryAbi,
  projectVaultAbi,
  stakingAbi,
  vaultFactoryAbi,
} from '../contracts/generated/contracts.ts'
import {
  deriveProjectId,
  deriveSubscriptionId,
  deriveVaultAddress,
  resolveProfile,
} from '../protocol/identity/index.ts'
import type { Hub } from './hub.ts'
import { type Anvil, hasAnvil, startAnvil } from './testing/anvil.ts'
import { deployNetwork } from './testing/deployed-chain.ts'
import { seededRandom } from './testing/fault-proxy.ts'
import { startTestHub } from './testing/hub.ts'

const hash = (text: string) => keccak256(toHex(text))
const window = 8
const disputeSeconds = 3_600
const graceSeconds = 900
const epochSeconds = 3_600

interface Call {
  to: string
  data: Hex
}

/** Everything one account that holds every role can do to three projects with a node each, in one deployment. */
function callsOf(contracts: ContractAddresses, account: string, firstEpoch: bigint) {
  const call = (to: string, abi: Abi, functionName: string, ...args: unknown[]): Call => ({
    to,
    data: encodeFunctionData({ abi, functionName, args }),
  })
  const projectId = (who: number) => deriveProjectId(resolveProfile(), account, `project-${who}`)
  const nodeKey = (who: number) => hash(`node ${who}`)
  const subscriptionId = (who: number) => deriveSubscriptionId(projectId(who), account, nodeKey(who))
  const vault = (who: number) =>
    deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId(who))
  const registry = (name: string, ...args: unknown[]) =>
    call(contracts.project_registry, projectRegistryAbi, name, ...args)
  const staking = (name: string, ...args: unknown[]) => call(contracts.staking, stakingAbi, name, ...args)
  const vaultCall = (who: number, name: string, ...args: unknown[]) =>
    call(vault(who), projectVaultAbi, name, ...args)
  const token = (name: string, ...args: unknown[]) => call(contracts.token, hubTokenAbi, name, ...args)
  return {
    projectId,
    subscriptionId,
    vault,
    mint: token('mint', account, 10n ** 24n),
    approve: (spender: string) => token('approve', spender, 10n ** 24n),
    register: (who: number) =>
      registry('register', `project-${who}`, hash('worker'), hash('consensus'), hash('manifest')),
    publish: (who: number, version: number) =>
      registry('publishVersion', projectId(who), version, hash(`consensus ${version}`), hash(`${version}`)),
    list: (who: number, status: number) => registry('setListingStatus', projectId(who), status),
    bond: (who: number, amount: bigint) => staking('bond', projectId(who), nodeKey(who), amount),
    setPayout: (who: number, payout: string) => staking('setPayout', subscriptionId(who), payout),
    unbond: (who: number) => staking('unbond', subscriptionId(who)),
    proposeSlash: (who: number, evidence: Hex, amount: bigint) =>
      staking('proposeSlash', subscriptionId(who), evidence, evidence, amount, BigInt(disputeSeconds)),
    disputeSlash: (evidence: Hex) => staking('disputeSlash', evidence),
    cancelSlash: (evidence: Hex) => staking('cancelSlash', evidence),
    executeSlash: (evidence: Hex) => staking('executeSlash', evidence),
    createVault: (who: number) =>
      call(
        contracts.vault_factory,
        vaultFactoryAbi,
        'create',
        projectId(who),
        contracts.token,
        epochSeconds,
        10n ** 18n,
      ),
    fund: (who: number, amount: bigint) => vaultCall(who, 'fund', amount),
    postEpoch: (who: number, epoch: bigint, miner: bigint) =>
      vaultCall(who, 'postEpoch', firstEpoch + epoch, hash(`root ${epoch}`), hash(`receipt ${epoch}`), {
        miner,
        developer: 2n,
        treasury: 1n,
      }),
    veto: (who: number, epoch: bigint) => vaultCall(who, 'veto', firstEpoch + epoch),
    reopen: (who: number, epoch: bigint) => vaultCall(who, 'reopen', firstEpoch + epoch),
    requestWithdrawal: (who: number, amount: bigint) => vaultCall(who, 'requestWithdrawal', amount),
  }
}

type Calls = ReturnType<typeof callsOf>

/** Any of these calls. Those that the contracts refuse leave no event. */
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
    calls.setPayout(who, `0x${who}${'f'.repeat(39)}`),
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
  let chain: Anvil
  let sender: string
  let deployment: Deployment
  let calls: Calls
  /** The same contracts of another network. */
  let foreign: Calls
  let started: Hub | undefined

  const start = async () => {
    const hub = await startTestHub({
      CHAIN_RPC_URL: chain.url,
      CHAIN_CONTRACTS: JSON.stringify(deployment.contracts),
      CHAIN_START_BLOCK: String(deployment.startBlock),
      CHAIN_POLL_MS: '30',
      CHAIN_WINDOW_BLOCKS: String(window),
    })
    started = hub
    const worker = await hub.miniflare.getWorker('hub')
    await worker.scheduled({ cron: '*/5 * * * *' })
    return hub
  }

  beforeEach(async () => {
    chain = await startAnvil()
    ;[sender] = (await chain.rpc<string[]>('eth_accounts')) as [string]
    deployment = await deployNetwork(chain)
    const { timestamp } = await chain.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
    const firstEpoch = BigInt(timestamp) / BigInt(epochSeconds)
    calls = callsOf(deployment.contracts, sender, firstEpoch)
    foreign = callsOf((await deployNetwork(chain)).contracts, sender, firstEpoch)
    for (const one of [calls, foreign])
      for (const { to, data } of [
        one.mint,
        ...[0, 1, 2].map((who) => one.approve(one.vault(who))),
        one.register(0),
        one.createVault(0),
      ])
        await chain.rpc('eth_sendTransaction', { from: sender, to, data })
    const { to, data } = calls.approve(deployment.contracts.staking)
    await chain.rpc('eth_sendTransaction', { from: sender, to, data })
    // The first four epochs of the vaults are over.
    await chain.rpc('evm_increaseTime', 5 * epochSeconds)
    await chain.rpc('evm_setAutomine', false)
  })
  afterEach(async () => {
    await started?.stop()
    await chain.stop()
  })

  /** One block with these transactions. */
  const mine = async (...transactions: Call[]) => {
    for (const { to, data } of transactions)
      await chain.rpc('eth_sendTransaction', { from: sender, to, data, gas: '0x7a120' })
    await chain.rpc('evm_mine')
  }

  const mineEmpty = (blocks: number) => chain.rpc('anvil_mine', `0x${blocks.toString(16)}`)

  const head = async () => {
    const { number, hash } = await chain.rpc<{ number: string; hash: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    return { number: Number(number), hash }
  }

  const rows = async (hub: Hub, sql: string) => {
    const db = await hub.miniflare.getD1Database('DB', 'hub')
    return (await db.prepare(sql).all<Record<string, string | number>>()).results
  }

  const caughtUp = async (hub: Hub) => {
    const { hash } = await head()
    await expect
      .poll(async () => (await rows(hub, 'SELECT block_hash FROM chain_cursor'))[0]?.block_hash)
      .toBe(hash)
  }

  const index = async (hub: Hub) => ({
    events: await rows(hub, 'SELECT * FROM chain_events ORDER BY block_number, log_index'),
    before: await rows(hub, 'SELECT * FROM chain_states_before ORDER BY kind, subject, block_number'),
    states: await rows(hub, 'SELECT * FROM chain_states ORDER BY kind, subject'),
    blocks: await rows(hub, 'SELECT * FROM chain_blocks ORDER BY number'),
  })

  /** Compares what is indexed with what is read when nothing is known. */
  const expectLikeFresh = async (hub: Hub) => {
    await caughtUp(hub)
    const indexed = await index(hub)
    const db = await hub.miniflare.getD1Database('DB', 'hub')
    const tables = ['chain_cursor', 'chain_events', 'chain_states', 'chain_states_before', 'chain_blocks']
    await db.batch(tables.map((table) => db.prepare(`DELETE FROM ${table}`)))
    await caughtUp(hub)
    const again = await index(hub)
    expect(indexed.events).toEqual(again.events)
    expect(indexed.before).toEqual(again.before)
    expect(indexed.states).toEqual(again.states)
  }

  const namesOf = async (hub: Hub) => (await index(hub)).events.map(({ name }) => name)

  test('stores events with their block, and what they make of a project, a subscription and a slash', async () => {
    const hub = await start()
    const evidence = hash('evidence')
    await mine(calls.bond(0, 500n))
    await mine(calls.bond(0, 200n), foreign.register(1), calls.proposeSlash(0, evidence, 100n))
    await chain.rpc('evm_increaseTime', disputeSeconds + graceSeconds)
    await mine(calls.executeSlash(evidence))
    await caughtUp(hub)
    const { events, states } = await index(hub)
    expect(events.map(({ name, provisional }) => [name, provisional])).toEqual([
      ['ProjectRegistered', 1],
      ['VaultCreated', 1],
      ['Bonded', 1],
      ['Bonded', 1],
      ['SlashProposed', 1],
      ['SlashExecuted', 1],
    ])
    const state = (kind: string) => JSON.parse(String(states.find((row) => row.kind === kind)?.state))
    expect(state('project')).toMatchObject({ slug: 'project-0', developer: sender, version: 1 })
    expect(state('vault')).toMatchObject({
      project_id: calls.projectId(0),
      token: deployment.contracts.token,
      funded: '0',
    })
    expect(state('subscription')).toMatchObject({
      owner: sender,
      collateral: '600',
      slashed_total: '100',
      status: 'bonded',
      payout: sender,
    })
    expect(state('slash')).toMatchObject({
      subscription_id: calls.subscriptionId(0),
      status: 'executed',
      taken: '100',
    })
    await mineEmpty(70)
    await expect
      .poll(async () => (await index(hub)).events.map(({ provisional }) => provisional))
      .toEqual([0, 0, 0, 0, 0, 0])
  })

  test("keeps a vault's books as the contract does", async () => {
    const hub = await start()
    await mine(calls.fund(0, 900n), calls.postEpoch(0, 1n, 100n), calls.postEpoch(0, 2n, 200n))
    await mine(calls.veto(0, 1n), calls.requestWithdrawal(0, 50n))
    await caughtUp(hub)
    const vault = (await index(hub)).states.find(({ kind }) => kind === 'vault')
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
    const db = await hub.miniflare.getD1Database('DB', 'hub')
    await db
      .prepare(
        "INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, manifest_hash) VALUES (?, ?, 'project-1', 'iot', 'submitted', 1, ?)",
      )
      .bind(calls.projectId(1), sender, hash('manifest'))
      .run()
    const listing = async () => (await rows(hub, 'SELECT listing_status FROM projects'))[0]?.listing_status
    await mineEmpty(3)
    await mine(calls.register(1))
    await expect.poll(listing).toBe('pending_review')
    await chain.rpc('anvil_reorg', 1, [])
    await expect.poll(listing).toBe('submitted')
  })

  test.each([1, 3, window + 5])(
    'after a reorganisation of %i blocks it equals a fresh index',
    async (depth) => {
      const random = seededRandom(depth)
      const hub = await start()
      await mine(calls.register(1), calls.createVault(1), calls.fund(0, 700n))
      for (let block = 0; block < depth + 5; block++)
        await mine(...Array.from({ length: 3 }, () => anything(random() < 0.9 ? calls : foreign, random)))
      await caughtUp(hub)
      expect((await namesOf(hub)).length).toBeGreaterThan(depth + 5)
      const before = await head()
      const replacements = Array.from({ length: depth }, (_, block) => [
        { from: sender, gas: '0x7a120', ...anything(calls, random) },
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

  test('a chain that has become shorter is followed, once it stays so', async () => {
    const random = seededRandom(7)
    const hub = await start()
    await mine(calls.register(1))
    for (let block = 0; block < 8; block++) await mine(anything(calls, random), anything(calls, random))
    await caughtUp(hub)
    await chain.rpc('anvil_rollback', 4)
    await expectLikeFresh(hub)
  })

  test('blocks that were final and are gone stop the index, and the status says so', async () => {
    const hub = await start()
    await mine(calls.register(1))
    await mineEmpty(80)
    await caughtUp(hub)
    await expect.poll(async () => (await index(hub)).events[0]?.provisional).toBe(0)
    const names = await namesOf(hub)
    await chain.rpc('anvil_reorg', 79, [])
    const status = async () => (await fetch(new URL('/v1/status', hub.urls[0]))).json()
    const { number } = await head()
    await expect.poll(status).toMatchObject({ status: 'degraded', chain: { head_block: number } })
    expect(await namesOf(hub)).toEqual(names)
  })
})
