import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { createNodeKey } from '../../node-cli/src/data-dir/node-key.ts'
import { createBindingRecord, deriveNodeId, deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { unwrap, unwrapIfFound } from '../../tools/client/answers.ts'
import type { Network } from '../../tools/client/network.ts'
import { signedByNode } from '../../tools/client/node-requests.ts'
import { signAndRelay } from '../../tools/client/relay.ts'
import type { Wallet } from '../../tools/client/sign-in.ts'
import { waitFor } from '../../tools/client/wait.ts'
import { sampleCollateralWei } from './manifest.ts'

/**
 * Has a device of the sample miner work for a project: bound, described, registered as a node, and with collateral. What
 * of it is done already is left as it is.
 *
 * @param dataDir where its key is, as `nodectl --data-dir` takes it; made when there is none.
 * @returns Its node id.
 */
export async function makeDevice(
  network: Network,
  miner: Wallet,
  projectId: string,
  dataDir: string,
): Promise<string> {
  const seed = await createNodeKey(path.resolve(dataDir))
  const publicKey = ed25519PublicKey(seed)
  const nodeId = deriveNodeId(network.profile, publicKey)
  const bound = miner.client.GET('/v1/devices/{node_id}', { params: { path: { node_id: nodeId } } })
  if ((await unwrapIfFound(bound)) === null) await bind(network, miner, seed)
  await subscribe(network, miner, projectId, publicKey)
  return nodeId
}

async function bind(network: Network, miner: Wallet, seed: string): Promise<void> {
  const { hub, profile, client } = network
  const now = await network.now()
  const publicKey = ed25519PublicKey(seed)
  const nodeId = deriveNodeId(profile, publicKey)
  const record = createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: miner.address,
      public_key: publicKey,
      issued_at: now,
      nonce: randomBytes(16).toString('hex'),
    },
    { ownerKey: miner.key, nodeSeed: seed },
  )
  await unwrap(client.POST('/v1/devices/bind', { body: record }))
  const signed = signedByNode(network, seed)
  const description = {
    class: 'server' as const,
    platform: 'linux',
    arch: 'x64',
    engine: 'native' as const,
    nodectl_version: '1.0.0',
    hardware: { cpu_cores: 4, ram_mb: 8_192, storage_free_mb: 20_000 },
    benchmark: { suite: 'bench-v1' as const, score: 100, measured_at: now },
  }
  await unwrap(
    client.PUT('/v1/devices/{node_id}/profile', {
      params: { path: { node_id: nodeId } },
      ...(await signed('PUT', `/v1/devices/${nodeId}/profile`, description)),
    }),
  )
  const registration = {
    hub,
    network: profile.network,
    // Where `nodectl` would answer if somebody ran this device.
    url: 'http://127.0.0.1:7700',
    role: 'miner' as const,
    engine: 'native' as const,
    nodectl_version: '1.0.0',
  }
  await unwrap(client.POST('/v1/nodes/register', await signed('POST', '/v1/nodes/register', registration)))
}

async function subscribe(
  network: Network,
  miner: Wallet,
  projectId: string,
  publicKey: string,
): Promise<void> {
  const { client, address } = miner
  const params = { path: { subscription_id: deriveSubscriptionId(projectId, address, publicKey) } }
  const read = () => client.GET('/v1/subscriptions/{subscription_id}', { params })
  const known = await unwrapIfFound(read())
  if (known !== null && known.status !== 'pending_collateral') return
  const amount = String(sampleCollateralWei)
  const payload =
    known === null
      ? await createSubscription(network, miner, projectId, publicKey, amount)
      : await unwrap(
          client.POST('/v1/subscriptions/{subscription_id}/bond-payload', { params, body: { amount } }),
        )
  const wanted = { owner: address, projectId, nodeKey: publicKey, amount }
  await signAndRelay(network, miner, payload, wanted, (body) =>
    unwrap(client.POST('/v1/subscriptions/{subscription_id}/bond', { params, body })),
  )
  await waitFor(
    'the bond to be indexed',
    () => unwrap(read()),
    ({ status }) => status === 'active',
  )
}

/** Gives the bond to sign. */
async function createSubscription(
  { profile }: Network,
  { client }: Wallet,
  projectId: string,
  publicKey: string,
  collateral: string,
) {
  const body = { project_id: projectId, node_id: deriveNodeId(profile, publicKey), collateral }
  return (await unwrap(client.POST('/v1/subscriptions', { body }))).bond
}
