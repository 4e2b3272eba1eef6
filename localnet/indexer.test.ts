import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, keccak256, toHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deriveVaultAddress } from '../protocol/ids.ts'
import { contractEvents } from '../workers/chain/abi.ts'
import { bundleHub } from './bundle.ts'
import { type Hub, startHub } from './hub.ts'
import { type Anvil, hasAnvil, startAnvil } from './testing/anvil.ts'
import { seededRandom } from './testing/fault-proxy.ts'
import { placeProbe, sayData } from './testing/probe.ts'

const address = (byte: string) => `0x${byte.repeat(20)}` as const
const contracts = {
  token: address('c1'),
  faucet: address('c2'),
  project_registry: address('c3'),
  vault_factory: address('c4'),
  vault_implementation: address('c5'),
  staking: address('c6'),
  treasury: address('c7'),
}
const hash = (text: string) => keccak256(toHex(text))
const projectId = hash('project')
const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
const window = 8

interface Speech {
  to: string
  data: Hex
}

/** The transaction that makes the probe at `to` emit an event. */
function say(to: string, name: string, args: Record<string, unknown>): Speech {
  const event = contractEvents.find((candidate) => candidate.name === name) as AbiEvent
  const topics = encodeEventTopics({ abi: [event], eventName: name, args }) as Hex[]
  const plain = event.inputs.filter((input) => !input.indexed)
  return {
    to,
    data: sayData(
      topics,
      encodeAbiParameters(
        plain,
        plain.map((input) => args[input.name ?? '']),
      ),
    ),
  }
}

const registered = say(contracts.project_registry, 'ProjectRegistered', {
  projectId,
  developer: address('0d'),
  slug: 'my-project',
  worker: hash('worker'),
  consensusHash: hash('consensus'),
  manifestHash: hash('manifest'),
})

const vaultCreated = say(contracts.vault_factory, 'VaultCreated', {
  projectId,
  vault,
  developer: address('0d'),
  token: contracts.token,
})

const bonded = (who: number, collateral: bigint) =>
  say(contracts.staking, 'Bonded', {
    subscriptionId: hash(`subscription ${who}`),
    owner: address('0e'),
    projectId,
    nodeKey: hash(`node ${who}`),
    amount: collateral,
    collateral,
  })

/** Any event of any of a few subjects. */
function anything(random: () => number): Speech {
  const who = Math.floor(random() * 3)
  const amount = BigInt(Math.floor(random() * 1_000))
  const subscriptionId = hash(`subscription ${who}`)
  const speeches = [
    registered,
    vaultCreated,
    bonded(who, amount),
    say(contracts.staking, 'PayoutSet', { subscriptionId, payout: `0x${who}${'f'.repeat(39)}` }),
    say(contracts.staking, 'Unbonding', { subscriptionId, releaseAt: amount }),
    say(contracts.staking, 'Withdrawn', { subscriptionId, owner: address('0e'), amount }),
    say(contracts.project_registry, 'ListingStatusSet', { projectId, status: who }),
    say(vault, 'VaultFunded', { from: address('0f'), amount }),
    say(vault, 'EpochPosted', { epoch: amount, merkleRoot: hash(`root ${amount}`), total: amount }),
    // Somebody else's contract says the same.
    say(address('99'), 'VaultFunded', { from: address('0f'), amount }),
  ]
  return speeches[Math.floor(random() * speeches.length)] as Speech
}

describe.skipIf(!hasAnvil)('the indexer', () => {
  let chain: Anvil
  let script: string
  let sender: string
  const hubs: Hub[] = []

  const start = async () => {
    const hub = await startHub({
      script,
      port: 0,
      vars: {
        HUB_SECRET: 'a secret that only tests know, long enough',
        CHAIN_RPC_URL: chain.url,
        CHAIN_CONTRACTS: JSON.stringify(contracts),
        CHAIN_POLL_MS: '30',
        CHAIN_WINDOW_BLOCKS: String(window),
      },
    })
    hubs.push(hub)
    const worker = await hub.miniflare.getWorker('hub')
    await worker.scheduled({ cron: '*/5 * * * *' })
    return hub
  }

  beforeEach(async () => {
    script ??= await bundleHub()
    chain = await startAnvil(['--no-mining'])
    for (const at of [
      contracts.project_registry,
      contracts.staking,
      contracts.vault_factory,
      vault,
      address('99'),
    ])
      await placeProbe(chain, at)
    ;[sender] = (await chain.rpc<string[]>('eth_accounts')) as [string]
  })
  afterEach(async () => {
    await Promise.all(hubs.splice(0).map((hub) => hub.stop()))
    await chain.stop()
  })

  /** One block with these transactions. */
  const mine = async (...speeches: Speech[]) => {
    for (const { to, data } of speeches)
      await chain.rpc('eth_sendTransaction', { from: sender, to, data, gas: '0x30d40' })
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
    subjects: await rows(
      hub,
      'SELECT * FROM chain_event_subjects ORDER BY kind, subject, block_number, log_index',
    ),
    states: await rows(hub, 'SELECT * FROM chain_states ORDER BY kind, subject'),
    blocks: await rows(hub, 'SELECT * FROM chain_blocks ORDER BY number'),
  })

  const expectLikeFresh = async (hub: Hub) => {
    await caughtUp(hub)
    const fresh = await start()
    await caughtUp(fresh)
    const [indexed, anew] = [await index(hub), await index(fresh)]
    expect(indexed.events).toEqual(anew.events)
    expect(indexed.subjects).toEqual(anew.subjects)
    expect(indexed.states).toEqual(anew.states)
  }

  test('stores events with their block, and what they make of a project and a subscription', async () => {
    const hub = await start()
    await mine(registered)
    await mine(bonded(1, 500n), bonded(1, 700n))
    await mine(
      say(contracts.staking, 'SlashExecuted', {
        evidenceHash: hash('evidence'),
        subscriptionId: hash('subscription 1'),
        amount: 100n,
      }),
    )
    await caughtUp(hub)
    const { events, states } = await index(hub)
    expect(events.map(({ name, provisional }) => [name, provisional])).toEqual([
      ['ProjectRegistered', 1],
      ['Bonded', 1],
      ['Bonded', 1],
      ['SlashExecuted', 1],
    ])
    const state = (kind: string) => JSON.parse(String(states.find((row) => row.kind === kind)?.state))
    expect(state('project')).toMatchObject({ slug: 'my-project', developer: address('0d'), version: 1 })
    expect(state('subscription')).toMatchObject({
      owner: address('0e'),
      collateral: '600',
      slashed_total: '100',
      status: 'bonded',
      payout: address('0e'),
    })
    await mineEmpty(70)
    await expect
      .poll(async () => (await index(hub)).events.map(({ provisional }) => provisional))
      .toEqual([0, 0, 0, 0])
  })

  test('moves a submitted project to review when its registration is indexed, and back when that is undone', async () => {
    const hub = await start()
    const db = await hub.miniflare.getD1Database('DB', 'hub')
    await db
      .prepare(
        "INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, manifest_hash) VALUES (?, ?, 'my-project', 'iot', 'submitted', 1, ?)",
      )
      .bind(projectId, address('0d'), hash('manifest'))
      .run()
    const listing = async () => (await rows(hub, 'SELECT listing_status FROM projects'))[0]?.listing_status
    await mineEmpty(3)
    await mine(registered)
    await expect.poll(listing).toBe('pending_review')
    await chain.rpc('anvil_reorg', 1, [])
    await expect.poll(listing).toBe('submitted')
  })

  test.each([1, 3, window + 5])(
    'after a reorganisation of %i blocks it equals a fresh index',
    async (depth) => {
      const random = seededRandom(depth)
      const hub = await start()
      await mine(registered)
      for (let block = 0; block < depth + 5; block++)
        await mine(...Array.from({ length: 3 }, () => anything(random)))
      await caughtUp(hub)
      const before = await head()
      const replacements = Array.from({ length: depth }, (_, block) => [
        { from: sender, gas: '0x30d40', ...anything(random) },
        block,
      ])
      await chain.rpc('anvil_reorg', depth, replacements)
      const after = await head()
      expect(after.number).toBe(before.number)
      expect(after.hash).not.toBe(before.hash)
      await expectLikeFresh(hub)
      await mine(anything(random), anything(random))
      await expectLikeFresh(hub)
    },
    30_000,
  )

  test('a chain that has become shorter is followed, once it stays so', async () => {
    const random = seededRandom(7)
    const hub = await start()
    await mine(registered)
    for (let block = 0; block < 8; block++) await mine(anything(random), anything(random))
    await caughtUp(hub)
    await chain.rpc('anvil_rollback', 4)
    await expectLikeFresh(hub)
  })

  test('blocks that were final and are gone stop the index, and the status says so', async () => {
    const hub = await start()
    await mine(registered)
    await mineEmpty(80)
    await caughtUp(hub)
    await expect.poll(async () => (await index(hub)).events[0]?.provisional).toBe(0)
    await chain.rpc('anvil_reorg', 79, [])
    const status = async () => (await fetch(new URL('/v1/status', hub.urls[0]))).json()
    await expect.poll(status).toMatchObject({ status: 'degraded', chain: { head_block: 81 } })
    expect((await index(hub)).events).toHaveLength(1)
  })
})
