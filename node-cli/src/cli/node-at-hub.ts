import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { readNodeKey } from '../data-dir/node-key.ts'
import { type NodeSigner, nodeSigner } from '../node-signer.ts'
import { profile as ownProfile } from '../profile.ts'
import { AdjustableClock, type Clock } from '../serve/clock.ts'
import { type GivenSettings, readSettings } from '../serve/config.ts'
import type { SettingName } from '../serve/flags.ts'
import {
  followHub,
  type HubClient,
  hubClient,
  parseHubUrl,
  type RequestSigner,
  readNetwork,
  requestSigner,
} from '../serve/hub/index.ts'
import { CliError, UsageError } from './errors.ts'

/** The settings of `serve` that say which node and which hub a command is about. */
export const nodeAtHubSettings = [
  'data-dir',
  'hub-url',
  'network',
  'chain-id',
] as const satisfies readonly SettingName[]

/** A node of this machine and the hub of its network, which has said that it is that. */
export interface NodeAtHub {
  readonly dataDir: string
  readonly client: HubClient
  readonly profile: Profile
  readonly node: NodeSigner
  readonly nodeId: string
  /** The time that the hub dates by. */
  readonly clock: Clock
  readonly signer: RequestSigner
}

/**
 * Finds the key of the node and asks the hub which network it is of. Nothing is signed before that.
 *
 * @throws {@link CliError}
 */
export async function openNodeAtHub(flags: GivenSettings): Promise<NodeAtHub> {
  const { dataDir, client, profile } = hubOf(flags)
  const seed = requireNodeKey(dataDir)
  await readNetwork(client, profile)
  const clock = await clockOf(client)
  const node = nodeSigner(seed)
  return {
    dataDir,
    client,
    profile,
    node,
    nodeId: deriveNodeId(profile, node.publicKey),
    clock,
    signer: requestSigner(profile, node, clock),
  }
}

/** The hub that settings name, which has not been asked yet. @throws {@link UsageError} when they name none. */
export function hubOf(flags: GivenSettings): Pick<NodeAtHub, 'dataDir' | 'client' | 'profile'> {
  const settings = readSettings(nodeAtHubSettings, flags)
  const url = settings['hub-url']
  if (url === null) throw new UsageError('--hub-url is missing, or NODE_HUB_URL: the address of the hub')
  const profile = { ...ownProfile, network: settings.network, chain_id: settings['chain-id'] }
  return { dataDir: settings['data-dir'], client: hubClient(parseHubUrl(url)), profile }
}

/** @throws {@link CliError} when there is none. */
export function requireNodeKey(dataDir: string): string {
  const seed = readNodeKey(dataDir)
  if (seed !== null) return seed
  throw new CliError(
    'no_key',
    `no node key in ${dataDir}; create one with: nodectl keygen --data-dir ${dataDir}`,
  )
}

/** On a local network the chain sets the time; elsewhere a machine that is wrong has to be put right. */
async function clockOf(client: HubClient): Promise<Clock> {
  const clock = new AdjustableClock()
  if (client.isLocal) await followHub(client, clock)
  return clock
}
