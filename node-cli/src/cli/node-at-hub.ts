import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import type { Ed25519Signer } from '../../../protocol/signatures/index.ts'
import { requireNodeKey } from '../data-dir/node-key.ts'
import { nodeSigner } from '../node-signer.ts'
import { keepProfile } from '../profile.ts'
import { AdjustableClock, type Clock } from '../serve/clock.ts'
import { type GivenSettings, type Names, namesOf, readSettings } from '../serve/config.ts'
import type { SettingName } from '../serve/flags.ts'
import {
  followHub,
  type HubClient,
  HubError,
  hubClient,
  learnProfile,
  parseHubUrl,
  type RequestSigner,
  readNetwork,
  requestSigner,
} from '../serve/hub/index.ts'
import { UsageError } from './errors.ts'

/** The settings of `serve` that say which node and which hub a command is about. */
export const nodeAtHubSettings = [
  'data-dir',
  'hub-url',
  'profile',
  'network',
  'chain-id',
] as const satisfies readonly SettingName[]

/** A node of this machine and the hub of its network, which has said that it is that. */
export interface NodeAtHub {
  readonly dataDir: string
  readonly client: HubClient
  readonly profile: Profile
  readonly node: Ed25519Signer
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
  const settings = readSettings(nodeAtHubSettings, flags)
  const { 'data-dir': dataDir, 'hub-url': url } = settings
  if (url === null)
    throw new UsageError('the address of the hub is missing: give --hub-url, or set NODE_HUB_URL')
  const client = hubClient(parseHubUrl(url))
  const node = nodeSigner(requireNodeKey(dataDir))
  const { profile } = await learnProfile(client, namesIn(settings))
  await readNetwork(client, profile)
  keepProfile(dataDir, profile)
  // On a local network the chain sets the time; elsewhere a machine that is wrong has to be put right.
  const clock = new AdjustableClock()
  if (client.isLocal) await followHub(client, clock)
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

/** Which network the settings name. */
export const namesIn = (
  settings: ReturnType<typeof readSettings<(typeof nodeAtHubSettings)[number]>>,
): Names =>
  namesOf({
    dataDir: settings['data-dir'],
    file: settings.profile,
    network: settings.network,
    chainId: settings['chain-id'],
  })

/** Null if the hub answers 404. */
export async function ifFound<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return null
    throw error
  }
}
