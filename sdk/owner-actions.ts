import { hasWrongChecksum } from '../protocol/encoding/index.ts'
import { deriveNodeId, deriveSubscriptionId } from '../protocol/identity/index.ts'
import {
  encodeManifest,
  hashManifest,
  hashProjectRules,
  type ProjectManifest,
} from '../protocol/manifest/index.ts'
import type { ActionOptions, DoneAction } from './actions.ts'
import { act, type Plan } from './actions.ts'
import type { Client } from './client.ts'
import { unlessAborted } from './deadline.ts'
import { RefusedToSign } from './errors.ts'
import type { Network } from './network.ts'
import { addressOf, type Wallet } from './wallets.ts'

/** The session, network and wallet that every action uses. */
export interface Actor {
  /** Calls with the session of the wallet. */
  readonly session: Client
  readonly network: Network
  readonly wallet: Wallet
}

type Subscribed = { readonly subscription_id: string }

/** Subscribes a device to a project unless it is, and bonds collateral. */
export async function bond(
  { session, network, wallet }: Actor,
  {
    project_id,
    node_id,
    amount,
  }: { readonly project_id: string; readonly node_id: string; readonly amount: string },
  options?: ActionOptions,
): Promise<DoneAction> {
  const owner = addressOf(wallet)
  const { signal } = options ?? {}
  const nodeKey = await keyOf({ session, network }, node_id, signal)
  const path = { subscription_id: deriveSubscriptionId(project_id, owner, nodeKey) }
  return act(
    session,
    network,
    wallet,
    {
      action: 'bond',
      wanted: { owner, projectId: project_id, nodeKey, amount },
      prepare: async (call) => {
        const known = await session.find('GET /v1/subscriptions/{subscription_id}', { ...call, path })
        if (known !== null && known.status !== 'closed')
          return session.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
            ...call,
            path,
            body: { amount },
            repeatable: true,
          })
        const body = { project_id, node_id, collateral: amount }
        return (await session.call('POST /v1/subscriptions', { ...call, body })).bond
      },
      relay: (signed) => session.call('POST /v1/subscriptions/{subscription_id}/bond', { ...signed, path }),
    },
    options,
  )
}

/** One of several subscriptions: the device, the project, and the amount to bond. */
export interface BatchItem {
  readonly project_id: string
  readonly node_id: string
  readonly amount: string
}

/** Subscribes devices to projects unless they are, and bonds collateral of all of them by one signature: all, or nothing. */
export async function bondBatch(
  { session, network, wallet }: Actor,
  items: readonly BatchItem[],
  options?: ActionOptions,
): Promise<DoneAction> {
  const owner = addressOf(wallet)
  const { signal } = options ?? {}
  const keys = new Map<string, string>()
  for (const { node_id } of items) {
    if (!keys.has(node_id)) keys.set(node_id, await keyOf({ session, network }, node_id, signal))
  }
  const nodeKeys = items.map(({ node_id }) => keys.get(node_id) as string)
  const amounts = items.map(({ amount }) => amount)
  const operation = 'POST /v1/subscriptions/batch/bond'
  return act(
    session,
    network,
    wallet,
    {
      action: 'bond_batch',
      wanted: { owner, projectIds: items.map(({ project_id }) => project_id), nodeKeys, amounts },
      prepare: async (call) => {
        const inputs = items.map(({ amount: collateral, ...item }) => ({ ...item, collateral }))
        const { items: begun, bond } = await session.call('POST /v1/subscriptions/batch', {
          ...call,
          body: { items: inputs },
        })
        const refused = begun.find(({ error }) => error !== null && error !== 'already_exists')
        if (refused !== undefined)
          throw new RefusedToSign(
            `${refused.node_id} cannot work for ${refused.project_id}: ${refused.error}.`,
          )
        if (begun.every(({ error }) => error === null)) return bond ?? {}
        const all = items.map(({ project_id, amount }, i) => ({
          subscription_id: deriveSubscriptionId(project_id, owner, nodeKeys[i] as string),
          amount,
        }))
        return session.call(operation, { ...call, body: { items: all }, repeatable: true })
      },
      relay: (signed) => session.call(operation, signed),
    },
    options,
  )
}

/** The key of a device, which its id is derived from. */
async function keyOf(
  { session, network }: Pick<Actor, 'session' | 'network'>,
  node_id: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { public_key: key } = await session.call('GET /v1/devices/{node_id}', { path: { node_id }, signal })
  if (deriveNodeId(network.profile, key) !== node_id)
    throw new RefusedToSign(`The hub names a public key that is not that of ${node_id}.`)
  return key
}

export const unbond = (actor: Actor, { subscription_id }: Subscribed, options?: ActionOptions) =>
  ofSubscription(actor, 'unbond', subscription_id, {}, {}, options)

export const withdraw = (actor: Actor, { subscription_id }: Subscribed, options?: ActionOptions) =>
  ofSubscription(actor, 'withdraw', subscription_id, {}, {}, options)

export const setPayout = async (
  actor: Actor,
  { subscription_id, payout }: Subscribed & { readonly payout: string },
  options?: ActionOptions,
) => {
  if (hasWrongChecksum(payout))
    throw new RefusedToSign(`The payout address ${payout} has a wrong checksum: check it for typing errors.`)
  const address = payout.toLowerCase()
  return ofSubscription(
    actor,
    'set_payout',
    subscription_id,
    { payout: address },
    { payout_address: address },
    options,
  )
}

const pathsOf = { unbond: 'unbond', withdraw: 'withdraw', set_payout: 'payout' } as const

function ofSubscription(
  { session, network, wallet }: Actor,
  action: keyof typeof pathsOf,
  subscriptionId: string,
  wanted: Plan['wanted'],
  request: object,
  options?: ActionOptions,
): Promise<DoneAction> {
  const path = { subscription_id: subscriptionId }
  const operation = `POST /v1/subscriptions/{subscription_id}/${pathsOf[action]}` as const
  const plan: Plan = {
    action,
    wanted: { owner: addressOf(wallet), subscriptionId, ...wanted },
    prepare: (call) => session.call(operation, { ...call, path, body: request, repeatable: true }),
    relay: (signed) => session.call(operation, { ...signed, path }),
  }
  return act(session, network, wallet, plan, options)
}

/** Signs a manifest, submits it, and registers its project on chain. */
export async function registerProject(
  { session, network, wallet }: Actor,
  manifest: ProjectManifest,
  options?: ActionOptions,
): Promise<DoneAction> {
  const { signal } = options ?? {}
  const body = await unlessAborted(signal, signManifest(wallet, manifest))
  const submitted = await session.call('POST /v1/developers/projects', { body, signal })
  const path = { project_id: submitted.project.project_id }
  return act(
    session,
    network,
    wallet,
    {
      action: 'register_project',
      wanted: {
        developer: addressOf(wallet),
        slug: manifest.slug,
        worker: manifest.consensus.modules.worker,
        ...hashesOf(manifest),
      },
      prepare: async () => submitted.register_by_sig ?? {},
      relay: (signed) =>
        session.call('POST /v1/developers/projects/{project_id}/register', { ...signed, path }),
    },
    options,
  )
}

/** Publishes a version that was submitted. */
export function publishVersion(
  { session, network, wallet }: Actor,
  { project_id, manifest }: { readonly project_id: string; readonly manifest: ProjectManifest },
  options?: ActionOptions,
): Promise<DoneAction> {
  const { version } = manifest
  const path = { project_id, version }
  const operation = 'POST /v1/developers/projects/{project_id}/versions/{version}/publish'
  return act(
    session,
    network,
    wallet,
    {
      action: 'publish_version',
      wanted: { developer: addressOf(wallet), projectId: project_id, version, ...hashesOf(manifest) },
      prepare: (call) => session.call(operation, { ...call, path, repeatable: true }),
      relay: (signed) => session.call(operation, { ...signed, path }),
    },
    options,
  )
}

/** The hashes by which contracts know the rules of a version, and all of it. */
export const hashesOf = (manifest: ProjectManifest) => ({
  consensusHash: hashProjectRules(manifest.consensus),
  manifestHash: hashManifest(manifest),
})

/** A manifest with the signature of its developer, as the hub takes both. */
export async function signManifest(wallet: Wallet, manifest: ProjectManifest) {
  const message = new TextDecoder().decode(encodeManifest(manifest))
  const signature = (await wallet.signMessage({ message })).toLowerCase()
  // The generated types have no readonly lists.
  return { manifest: manifest as never, sig_type: 'eip191' as const, signature }
}
