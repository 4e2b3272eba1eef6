import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { createNodeKey } from '../../node-cli/src/data-dir/node-key.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import {
  createBindingRecord,
  deriveNodeId,
  deriveSubscriptionId,
  signRequest,
} from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { type HubAccount, request, until } from './account.ts'
import { sampleCollateralWei } from './manifest.ts'

export interface DeviceParts {
  readonly hub: string
  readonly profile: Profile
  readonly projectId: string
  readonly miner: HubAccount
  readonly minerKey: string
}

const freshNonce = (): string => randomBytes(16).toString('hex')
const unixNow = (): number => Math.floor(Date.now() / 1000)

/**
 * Has a device of the sample miner work for a project: bound, described, registered as a node, and with collateral. What
 * of it is done already is left as it is.
 *
 * @param dataDir where its key is, as `nodectl --data-dir` takes it; made when there is none.
 * @returns Its node id.
 */
export async function makeDevice(parts: DeviceParts, dataDir: string): Promise<string> {
  const { profile, projectId, miner } = parts
  const seed = await createNodeKey(path.resolve(dataDir))
  const publicKey = ed25519PublicKey(seed)
  const nodeId = deriveNodeId(profile, publicKey)
  if ((await miner.find(`/v1/devices/${nodeId}`)) === null) await bind(parts, seed, publicKey)

  const subscriptionId = deriveSubscriptionId(projectId, miner.address, publicKey)
  const subscription = `/v1/subscriptions/${subscriptionId}`
  const collateral = String(sampleCollateralWei)
  const known = await miner.find(subscription)
  if (known !== null && known.status !== 'pending_collateral') return nodeId
  const payload =
    known === null
      ? (await miner.post('/v1/subscriptions', { project_id: projectId, node_id: nodeId, collateral })).bond
      : await miner.post(`${subscription}/bond-payload`, { amount: collateral })
  await miner.act(`${subscription}/bond`, payload)
  await until('the bond to be indexed', async () => (await miner.get(subscription)).status === 'active')
  return nodeId
}

async function bind({ hub, profile, miner, minerKey }: DeviceParts, seed: string, publicKey: string) {
  const nodeId = deriveNodeId(profile, publicKey)
  const record = createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: miner.address,
      public_key: publicKey,
      issued_at: unixNow(),
      nonce: freshNonce(),
    },
    { ownerKey: minerKey, nodeSeed: seed },
  )
  await miner.post('/v1/devices/bind', record)
  const description = {
    class: 'server',
    platform: 'linux',
    arch: 'x64',
    engine: 'native',
    nodectl_version: '1.0.0',
    hardware: { cpu_cores: 4, ram_mb: 8_192, storage_free_mb: 20_000 },
    benchmark: { suite: 'bench-v1', score: 100, measured_at: unixNow() },
  }
  const send = (method: string, target: string, body: object) => {
    const text = JSON.stringify(body)
    const { headers } = signRequest(profile, seed, {
      method,
      target,
      body: text,
      timestamp: unixNow(),
      nonce: freshNonce(),
    })
    return request(hub, method, target, body, headers)
  }
  await send('PUT', `/v1/devices/${nodeId}/profile`, description)
  await send('POST', '/v1/nodes/register', {
    // Where `nodectl` would answer if somebody ran this device.
    url: 'http://127.0.0.1:7700',
    role: 'miner',
    engine: 'native',
    nodectl_version: '1.0.0',
  })
}
