import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeFunctionData } from 'viem/utils'
import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { hubTokenAbi } from '../../contracts/generated/contracts.ts'
import { createNodeKey } from '../../node-cli/src/data-dir/node-key.ts'
import { nodeSigner } from '../../node-cli/src/node-signer.ts'
import { createBindingRecord, deriveNodeId, deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { fetchFromHub, type Network } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { hubWithNodeKey } from '../../sdk/node.ts'
import { type DirectCall, sendDirect } from '../send-direct.ts'
import { sampleCollateralWei } from './manifest.ts'

/** A device of the sample miner. */
export interface Device {
  readonly nodeId: string
  readonly publicKey: string
}

/**
 * Has a device of the sample miner be bound, described and registered as a node, unless it is.
 *
 * @param dataDir the folder of its key, as for `nodectl --data-dir`; created if it does not exist.
 */
export async function makeDevice(network: Network, miner: Wallet, dataDir: string): Promise<Device> {
  const seed = await createNodeKey(path.resolve(dataDir))
  const { publicKey } = nodeSigner(seed)
  const nodeId = deriveNodeId(network.profile, publicKey)
  const bound = await miner.client.find('GET /v1/devices/{node_id}', { path: { node_id: nodeId } })
  if (bound === null) await bindDevice(network, miner, seed)
  return { nodeId, publicKey }
}

/** Has a device be bound to a wallet, described and registered as a node. */
export async function bindDevice(network: Network, miner: Wallet, seed: string): Promise<void> {
  const { hub, profile, client } = network
  const now = await network.now()
  const nodeKey = nodeSigner(seed)
  const nodeId = deriveNodeId(profile, nodeKey.publicKey)
  const record = createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: miner.address,
      public_key: nodeKey.publicKey,
      issued_at: now,
      nonce: randomBytes(16).toString('hex'),
    },
    { ownerKey: miner.key, nodeKey },
  )
  await client.call('POST /v1/devices/bind', { body: record })
  const node = hubWithNodeKey({ url: hub, key: nodeKey, fetch: fetchFromHub })
  const description = {
    class: 'server' as const,
    platform: 'linux',
    arch: 'x64',
    engine: 'native' as const,
    miner_version: '1.0.0',
    nodectl_version: '1.0.0',
    hardware: { cpu_cores: 4, ram_mb: 8_192, storage_free_mb: 20_000 },
    benchmark: {
      suite: 'bench-v1' as const,
      ran_at: now,
      engine: 'native' as const,
      cases: [],
      mgas_per_s: [],
      score: 100,
    },
  }
  await node.call('PUT /v1/devices/{node_id}/profile', { path: { node_id: nodeId }, body: description })
  const registration = {
    hub,
    network: profile.network,
    // The address at which `nodectl` would answer if somebody ran this device.
    url: 'http://127.0.0.1:7700',
    role: 'miner' as const,
    engine: 'native' as const,
    nodectl_version: '1.0.0',
  }
  await node.call('POST /v1/nodes/register', { body: registration })
}

const subscriptionOf = ({ address }: Wallet, projectId: string, { publicKey }: Device) => ({
  path: { subscription_id: deriveSubscriptionId(projectId, address, publicKey) },
})

/** Without them, its owner has ended or paused the work of the device, and it stays so. */
const bondable: readonly string[] = ['pending_collateral', 'active', 'jailed']

/**
 * Subscribes a device to a project, unless it is, and gives back what it lost to slashes.
 *
 * @returns The bond, as a transaction of the miner's own; null when there is collateral already.
 */
export async function subscribe(
  miner: Wallet,
  projectId: string,
  device: Device,
): Promise<DirectCall | null> {
  const { client } = miner
  const params = subscriptionOf(miner, projectId, device)
  const known = await client.find('GET /v1/subscriptions/{subscription_id}', params)
  if (known !== null && !bondable.includes(known.status)) return null
  const missing = sampleCollateralWei - BigInt(known?.collateral ?? 0)
  if (missing <= 0n) return null
  const collateral = String(missing)
  const created = { project_id: projectId, node_id: device.nodeId, collateral }
  const { direct_tx } =
    known === null
      ? (await client.call('POST /v1/subscriptions', { body: created })).bond
      : await client.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
          ...params,
          body: { amount: collateral },
        })
  return direct_tx ?? null
}

/** Lets the staking contract take the collateral of `bonds` bonds. */
export const approval = (token: string, staking: string, bonds: number): DirectCall => ({
  to: token,
  data: encodeFunctionData({
    abi: hubTokenAbi,
    functionName: 'approve',
    args: [staking as Address, sampleCollateralWei * BigInt(bonds)],
  }),
})

/** Subscribes devices to a project, with collateral that the wallet bonds by transactions of its own. */
export async function bondAll(
  { rpcUrl, contracts }: { rpcUrl: string; contracts: ContractAddresses },
  miner: Wallet,
  projectId: string,
  devices: readonly Device[],
): Promise<void> {
  const calls = await Promise.all(devices.map((device) => subscribe(miner, projectId, device)))
  const bonds = calls.filter((call) => call !== null)
  const account = privateKeyToAccount(miner.key as Hex)
  if (bonds.length > 0)
    await sendDirect(rpcUrl, account, [approval(contracts.token, contracts.staking, bonds.length), ...bonds])
  await Promise.all(
    devices
      .filter((_, index) => calls[index] !== null)
      .map((device) => waitForBond(miner, projectId, device)),
  )
}

/** Returns once the hub has read the bond of a device. */
export async function waitForBond(miner: Wallet, projectId: string, device: Device): Promise<void> {
  const params = subscriptionOf(miner, projectId, device)
  await waitFor(
    'the bond to be indexed',
    () => miner.client.call('GET /v1/subscriptions/{subscription_id}', params),
    ({ status }) => status === 'active',
  )
}
