import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { privateKeys } from '../../localnet/private-keys.ts'
import { bindDevice } from '../../localnet/sample/devices.ts'
import { sampleSlug } from '../../localnet/sample/manifest.ts'
import { deriveNodeId, deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { fetchFromHub, readEconomics, readNetwork } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { signIn, type Wallet } from '../../scripts/hub/wallet.ts'
import type { SignedBody } from '../../sdk/actions.ts'
import { hubWithNodeKey } from '../../sdk/node.ts'

export type Stage = Awaited<ReturnType<typeof setStage>>

/** The parts of a local network that no caller of its hub reaches. */
export interface Backstage {
  /** The folder of its data. */
  readonly folder: string
  /** Address of its chain. */
  readonly rpcUrl: string
}

/** A local network with what samples of the reference name: people, devices, records of a task. */
export async function setStage(hub: string, backstage: Backstage) {
  const network = await readNetwork(hub)
  const { client, profile } = network
  const [developer, miner, operator] = await Promise.all(
    [privateKeys.developer, privateKeys.miner, privateKeys.operator].map((key) => signIn(network, key)),
  )
  const manifest = await client.call('GET /v1/projects/{project_id}/manifest', {
    path: { project_id: sampleSlug },
  })
  const projectId = manifest.project_id
  const { epoch_secs, min_collateral } = await readEconomics(client, projectId)
  const task = await client.call('POST /v1/projects/{project_id}/tasks', {
    path: { project_id: projectId },
    body: { function: 'echo', input: 'reference' },
    query: { wait: 60 },
  })
  const seedIn = (folder: string) =>
    `0x${readFileSync(path.join(backstage.folder, folder, 'node.key'), 'utf8').trim()}`
  const deviceOf = (seed: string) => {
    const publicKey = ed25519PublicKey(seed)
    const subscriptionId = deriveSubscriptionId(projectId, miner!.address, publicKey)
    return { seed, publicKey, nodeId: deriveNodeId(profile, publicKey), subscriptionId }
  }

  const newWallet = () => signIn(network, generatePrivateKey())
  /** A wallet that is enrolled as a developer. */
  const newDeveloper = async (): Promise<Wallet> => {
    const wallet = await newWallet()
    await wallet.client.call('POST /v1/developers/me/enrollment', {
      body: { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true },
    })
    return wallet
  }
  const newSeed = () => `0x${randomBytes(32).toString('hex')}`
  /** A device of the miner, which no node runs. */
  const newDevice = async () => {
    const device = deviceOf(newSeed())
    await bindDevice(network, miner!, device.seed)
    return device
  }
  /** A node of nobody yet. */
  const newNode = async (role: 'miner' | 'validator') => {
    const device = deviceOf(newSeed())
    const node = hubWithNodeKey({ url: network.hub, key: device.seed, fetch: fetchFromHub })
    await node.call('POST /v1/nodes/register', { body: registration(network.hub, profile.network, role) })
    return device
  }

  /** As wallets sign what a hub prepared. */
  const signed = async (
    { key }: Wallet,
    payload: Pick<SignedBody, 'typed_data'> & { permit?: SignedBody['permit'] | undefined },
  ): Promise<SignedBody> => {
    const account = privateKeyToAccount(key as `0x${string}`)
    const { typed_data, permit } = payload
    const signature = await account.signTypedData(typed_data as never)
    return {
      typed_data,
      signature,
      ...(permit && { permit, permit_signature: await account.signTypedData(permit as never) }),
    }
  }
  const allMined = () =>
    waitFor(
      'the actions to be mined',
      () => operator!.client.call('GET /admin/v1/relayer'),
      ({ relayer }) => relayer?.open === 0,
    )
  const pending = async () => {
    const device = await newDevice()
    const { bond } = await miner!.client.call('POST /v1/subscriptions', {
      body: { project_id: projectId, node_id: device.nodeId, collateral: min_collateral },
    })
    return { ...device, bond, path: { subscription_id: device.subscriptionId } }
  }
  /** Several devices, whose collateral one signature bonds. */
  const bondTogether = async (count: number) => {
    const devices = await Promise.all(Array.from({ length: count }, newDevice))
    const items = devices.map(({ nodeId }) => ({
      ...{ project_id: projectId, node_id: nodeId, collateral: min_collateral },
    }))
    const { bond } = await miner!.client.call('POST /v1/subscriptions/batch', { body: { items } })
    await allMined()
    await miner!.client.call('POST /v1/subscriptions/batch/bond', {
      body: await signed(miner!, bond as never),
    })
    const bonded = devices.map((device) => ({
      ...device,
      path: { subscription_id: device.subscriptionId },
    }))
    for (const device of bonded) await statusOf(device, 'active')
    return bonded
  }
  const spare: Awaited<ReturnType<typeof bondTogether>> = []
  /** A device with collateral in the sample project, which no other sample uses. */
  const bonded = async () => {
    if (spare.length === 0) spare.push(...(await bondTogether(12)))
    return spare.pop()!
  }
  const statusOf = ({ path }: { path: { subscription_id: string } }, wanted: string) =>
    waitFor(
      `the subscription to be ${wanted}`,
      () => client.call('GET /v1/subscriptions/{subscription_id}', { path }),
      ({ status }) => status === wanted,
    )

  /** Lists a project that waits for a review, until the samples are through. */
  const listed: { project_id: string }[] = []
  const review = (path: { project_id: string }, action: 'approve' | 'delist') =>
    operator!.client.call('POST /admin/v1/projects/{project_id}/review', {
      path,
      body: { action, ...(action === 'delist' && { reason: 'It was for a test.' }) },
    })
  const list = async (path: { project_id: string }) => {
    await review(path, 'approve')
    listed.push(path)
  }

  return {
    ...{ network, client, profile, backstage, projectId, manifest, task, minCollateral: min_collateral },
    ...{ developer: developer!, miner: miner!, operator: operator! },
    ...{ seedIn, deviceOf, newWallet, newDeveloper, newSeed, newDevice, newNode },
    ...{ signed, pending, bonded, statusOf, list, listed },
    /** Leaves the sample project alone in the catalogue. */
    delistAll: async () => {
      for (const path of listed.splice(0)) await review(path, 'delist')
    },
    /** Has nothing of anybody be on its way to the chain: a wallet sends one action at a time. */
    allMined,
    epochSecs: epoch_secs,
    /** One of the devices that work. */
    device: deviceOf(seedIn('devices/1')),
    epochOf: async () => Math.floor((await network.now()) / epoch_secs),
  }
}

export const registration = (hub: string, network: string, role: 'miner' | 'validator') => ({
  ...{ hub, network, role },
  url: 'http://127.0.0.1:7700',
  engine: 'native' as const,
  nodectl_version: '1.0.0',
})
