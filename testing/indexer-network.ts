import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { Hub } from '../localnet/hub.ts'
import { type Anvil, markBeginning, startAnvil } from './anvil.ts'
import { breakableBundle, restartEmpty, restartHub, statusAsOfNow } from './breakable-hub.ts'
import { type Call, type Calls, callsOf, epochSeconds } from './contract-calls.ts'
import { deployNetwork } from './deployed-chain.ts'
import { queryThrough } from './driver.ts'
import { startTestHub } from './hub.ts'

type Row = Record<string, string | number>

/** Blocks whose hashes a hub of these tests knows. */
export const windowBlocks = 8

/** A chain that mines on command, with the contracts of two networks, and hubs that index the first of them. */
export type IndexerNetwork = Awaited<ReturnType<typeof startIndexerNetwork>>

export async function startIndexerNetwork() {
  prepared ??= prepare()
  const { state, sender, deployment, calls, foreign } = await prepared
  const chain = await startAnvil()
  await chain.rpc('anvil_loadState', state)
  await chain.rpc('evm_setAutomine', false)
  const takeBack = await markBeginning(chain)
  const begin = async () => {
    // The states of earlier blocks may be gone, and a reorganisation goes back to one.
    await chain.rpc('anvil_mine', '0x8')
    // The first four epochs of the vaults are over.
    await chain.rpc('evm_increaseTime', 5 * epochSeconds)
  }
  await begin()

  // One process for all hubs.
  const hub = await startTestHub({}, { script: await breakableBundle() })
  return {
    chain,
    /** Deployed everything and holds every role. */
    sender,
    deployment,
    calls,
    /** The same contracts of another network. */
    foreign,
    /**
     * Starts a hub, which reads the chain unless it is left asleep, and ends the one before. It is empty unless it keeps what the one
     * before has stored.
     */
    async start(
      vars: Record<string, string> = {},
      { asleep = false, keeps = false }: { asleep?: boolean; keeps?: boolean } = {},
    ): Promise<Hub> {
      const settings = {
        CHAIN_RPC_URL: chain.url,
        CHAIN_CONTRACTS: JSON.stringify(deployment.contracts),
        CHAIN_START_BLOCK: String(deployment.startBlock),
        CHAIN_BLOCK_SECS: '0.2',
        CHAIN_WINDOW_BLOCKS: String(windowBlocks),
        ...vars,
      }
      if (keeps) await restartHub(hub, settings, true)
      else await restartEmpty(hub, settings)
      if (!asleep) await wake(hub)
      return hub
    },
    /** One block with these transactions. */
    mine: (...transactions: readonly Call[]) => mine(chain, sender, transactions),
    mineEmpty: (blocks: number) => chain.rpc('anvil_mine', `0x${blocks.toString(16)}`),
    head: () => readHead(chain),
    /** Ends the hub of a test, and takes the chain back to its beginning. */
    async reset() {
      await restartEmpty(hub, {})
      await takeBack()
      await begin()
    },
    async stop() {
      await hub.stop()
      await chain.stop()
    },
  }
}

let prepared: ReturnType<typeof prepare> | undefined

/** Prepares the state with which the chain of each network begins. */
async function prepare() {
  const chain = await startAnvil()
  try {
    const [sender] = (await chain.rpc<string[]>('eth_accounts')) as [string]
    const deployment = await deployNetwork(chain)
    const { timestamp } = await chain.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
    const firstEpoch = BigInt(timestamp) / BigInt(epochSeconds)
    const other = await deployNetwork(chain)
    const calls = callsOf(deployment.contracts, sender, firstEpoch)
    // A transaction that is sent while the chain mines by itself may not be in a block when the state is read.
    await chain.rpc('evm_setAutomine', false)
    const foreign = { ...callsOf(other.contracts, sender, firstEpoch), deployment: other }
    const approvals = (one: typeof calls) => [0, 1, 2].map((who) => one.approve(one.vault(who)))
    for (const one of [calls, foreign])
      await mine(chain, sender, [one.mint, ...approvals(one), one.register(0), one.createVault(0)])
    await mine(chain, sender, [calls.approve(deployment.contracts.staking)])
    const state = await chain.rpc<Hex>('anvil_dumpState')
    return { state, sender, deployment, calls, foreign }
  } finally {
    await chain.stop()
  }
}

/** One block with these transactions, on a chain that makes none by itself. */
async function mine(chain: Anvil, sender: string, transactions: readonly Call[]): Promise<void> {
  for (const { to, data } of transactions)
    await chain.rpc('eth_sendTransaction', { from: sender, to, data, gas: '0x7a120' })
  await chain.rpc('evm_mine')
}

async function readHead(chain: Anvil): Promise<{ number: number; hash: string }> {
  const { number, hash } = await chain.rpc<{ number: string; hash: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  )
  return { number: Number(number), hash }
}

/** Has a hub begin to read the chain, as its schedule does. */
export const wake = ({ runSchedule }: Hub): Promise<void> => runSchedule()

/** Rows of the database of a hub with a driver, as those of tests are. */
export const rowsOf = async ({ miniflare }: Hub, text: string, ...values: unknown[]): Promise<Row[]> =>
  queryThrough(await miniflare.unsafeGetDirectURL('driver'), text, values)

/** Everything that is indexed, in an order that is always the same. */
export const indexOf = async (hub: Hub) => ({
  events: await rowsOf(hub, 'SELECT * FROM chain_events ORDER BY block_number, log_index'),
  before: await rowsOf(hub, 'SELECT * FROM chain_states_before ORDER BY kind, subject, block_number'),
  states: await rowsOf(hub, 'SELECT * FROM chain_states ORDER BY kind, subject'),
  blocks: await rowsOf(hub, 'SELECT * FROM chain_blocks ORDER BY number'),
})

/** Returns once the hub has indexed the chain's latest block. */
export async function caughtUp(hub: Hub, chain: Anvil): Promise<void> {
  const { hash } = await readHead(chain)
  await expect
    .poll(async () => (await rowsOf(hub, 'SELECT block_hash FROM chain_cursor'))[0]?.block_hash)
    .toBe(hash)
}

/** Returns once no reorganisation takes this block from the hub any more, which it writes after it has indexed the block. */
export const isFinal = (hub: Hub, block: number): Promise<void> =>
  expect
    .poll(async () => Number((await rowsOf(hub, 'SELECT final_number FROM chain_cursor'))[0]?.final_number))
    .toBeGreaterThanOrEqual(block)

/**
 * Returns once the status of a hub has this. A hub compares its nodes again only after a minute where one of them did not answer
 * in time.
 */
export const expectStatus = (hub: Hub, status: object): Promise<void> =>
  expect.poll(() => statusAsOfNow(hub), { interval: 250 }).toMatchObject(status)

/** Stores the first version of a project as its developer submits it, with the hashes that it is registered with. */
export async function submitProject(hub: Hub, { calls, sender }: IndexerNetwork, who: number): Promise<void> {
  const { manifestHash, consensusHash } = calls.hashes(who)
  await rowsOf(
    hub,
    `INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, manifest_hash, consensus_hash)
    VALUES (?, ?, ?, 'iot', 'submitted', 1, ?, ?)`,
    calls.projectId(who),
    sender,
    `project-${who}`,
    manifestHash,
    consensusHash,
  )
  await submitVersion(hub, calls, who, 1)
}

/** Stores a version of a project, with the hashes that it is published with. */
export async function submitVersion(hub: Hub, calls: Calls, who: number, version: number): Promise<void> {
  const { manifestHash, consensusHash } = calls.hashes(who, version)
  await rowsOf(
    hub,
    `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature,
      token, tiers_changed, boundary_secs, epoch_secs, submitted_at)
    VALUES (?, ?, 'submitted', ?, ?, '{}', '0x', '{}', '[]', 3600, 3600, 1)`,
    calls.projectId(who),
    version,
    manifestHash,
    consensusHash,
  )
}

/** Stores a subscription as its owner begins it. */
export async function subscribe(hub: Hub, { calls, sender }: IndexerNetwork, who: number): Promise<void> {
  await rowsOf(
    hub,
    `INSERT INTO subscriptions (subscription_id, owner, project_id, node_id, node_key, closings, reputation,
      credited_rounds, missed_leases, disagreements, created_at)
    VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 1)`,
    calls.subscriptionId(who),
    sender,
    calls.projectId(who),
    `node-${who}`,
    calls.nodeKey(who),
  )
}

/** The hub's own columns that follow from the chain. */
export const effectsOf = async (hub: Hub) => ({
  projects: await rowsOf(
    hub,
    'SELECT project_id, listing_status, miners, devices_by_class FROM projects ORDER BY project_id',
  ),
  versions: await rowsOf(
    hub,
    `SELECT project_id, version, status, published_at, publish_tx, effective_at, effective_epoch
    FROM project_versions ORDER BY project_id, version`,
  ),
})
