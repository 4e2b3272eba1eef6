import { isLoopbackHost, isUnsigned } from '../../../../protocol/encoding/index.ts'
import {
  describeProfileProblems,
  type Profile,
  profileStrings,
  readProfile,
} from '../../../../protocol/identity/index.ts'
import { isEd25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { unsupportedBy } from '../../versions.ts'
import type { Names } from '../config.ts'
import type { HubClient } from './hub-client.ts'
import { HubError, invalidAnswer } from './hub-error.ts'
import { Members } from './members.ts'

const readDescriptor = (answer: unknown) => {
  const descriptor = new Members(answer)
  const api = descriptor.object('hosts').get('api', isUrl, 'a URL')
  const coordinator = descriptor.optional('coordinator', isAny, 'the key of the coordinator')
  return {
    network: descriptor.text('network'),
    protocol: descriptor.text('protocol'),
    /** Null for a hub that does not tell its names. */
    profile: readNames(descriptor.optional('profile', isAny, 'the names of the network')),
    chainId: descriptor.object('chain').get('id', isUnsigned, 'the id of a chain'),
    apiOrigin: originOf(new URL(api)),
    /** Key that the hub signs its calls to nodes with; null if it calls none. */
    coordinatorKey:
      coordinator === null
        ? null
        : new Members(coordinator, 'coordinator').get('public_key', isEd25519PublicKey, 'an ed25519 key'),
    /** Lowest version of this tool that the hub works with. */
    nodectlMin: descriptor.object('versions').text('nodectl_min'),
  }
}

function readNames(given: unknown): Profile | null {
  if (given === null) return null
  const read = readProfile(given)
  if ('profile' in read) return read.profile
  throw invalidAnswer(
    `the hub announces names that no network can have: ${describeProfileProblems(read.problems)}`,
  )
}

const isAny = (value: unknown): value is unknown => value !== undefined
const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value)

/** An origin, in which this machine has one name. */
export const originOf = ({ protocol, hostname, port }: URL): string =>
  `${protocol}//${isLoopbackHost(hostname) ? 'localhost' : hostname}${port === '' ? '' : `:${port}`}`

/**
 * The names of the network that the settings name: where no file says them, its hub does. A hub of another network or
 * chain names nothing here.
 *
 * @throws {@link HubError}
 */
export async function learnProfile(client: HubClient, names: Names): Promise<Names> {
  if (names.areGiven) return names
  const { profile } = await client.call({ method: 'GET', target: '/' }, readDescriptor)
  const { network, chain_id } = names.profile
  return profile?.network === network && profile.chain_id === chain_id ? { profile, areGiven: true } : names
}

/**
 * Asks a hub for its network, before this node signs anything for it: a signature is for one network, and no hub may get one
 * that is meant for another network.
 *
 * @param profile The network that the node belongs to, as its operator says.
 * @throws {@link HubError} for a hub of another network or chain, and for one that has another address.
 */
export async function readNetwork(client: HubClient, profile: Profile) {
  const descriptor = await client.call({ method: 'GET', target: '/' }, readDescriptor)
  const { network, protocol } = descriptor
  if (network !== profile.network)
    throw wrongNetwork(
      client,
      `is the hub of ${network}, not of ${profile.network}`,
      `If you mean ${network}, add --network ${network}`,
    )
  if (descriptor.chainId !== profile.chain_id)
    throw wrongNetwork(
      client,
      `is on the chain ${descriptor.chainId}, not on ${profile.chain_id}`,
      `If you mean the chain ${descriptor.chainId}, add --chain-id ${descriptor.chainId}`,
    )
  const own = profileStrings(profile).descriptor_protocol
  if (protocol !== own) throw wrongNetwork(client, `speaks ${protocol}, not ${own}`, sayNames(client))
  for (const [name, said] of Object.entries(descriptor.profile ?? {})) {
    const mine = profile[name as keyof Profile]
    if (said !== mine) throw wrongNetwork(client, `has the ${name} ${said}, not ${mine}`, sayNames(client))
  }
  if (descriptor.apiOrigin !== originOf(new URL(client.origin)))
    throw invalidAnswer(
      `the hub on ${client.origin} says that its address is ${descriptor.apiOrigin}`,
      `Name it by that address if you trust it: --hub-url ${descriptor.apiOrigin}`,
    )
  const { coordinatorKey, nodectlMin } = descriptor
  return { coordinatorKey, nodectlMin }
}

/**
 * The same for a node that is about to work: the hub also has to support this version.
 * @throws {@link HubError}
 */
export async function readNetworkToServe(client: HubClient, profile: Profile): Promise<void> {
  const { nodectlMin } = await readNetwork(client, profile)
  const problem = unsupportedBy(nodectlMin)
  if (problem !== null) throw new HubError('invalid_answer', 'unsupported_version', problem)
}

const sayNames = ({ origin }: HubClient): string =>
  `If you mean this hub, save its names to a file and give the file: curl -s ${origin}/ > hub.json, then --profile hub.json`

const wrongNetwork = ({ origin }: HubClient, problem: string, hint?: string): HubError =>
  new HubError('invalid_answer', 'wrong_network', `${origin} ${problem}`, hint === undefined ? {} : { hint })
