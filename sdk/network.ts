import * as z from 'zod'
import type { ActionContracts } from '../protocol/actions/index.ts'
import {
  describeProfileProblems,
  type Profile,
  profileStrings,
  readProfile,
  resolveProfile,
} from '../protocol/identity/index.ts'
import { isRefusal, unwrap } from './answers.ts'
import { keepBookmark } from './bookmark.ts'
import { connect, type Fetch, fetchFromHub, type HubClient, nameAnotherHub } from './connect.ts'
import { HubError } from './hub-error.ts'

/** The network as the descriptor of its hub says it is. */
export interface Network {
  /** Origin of the hub. */
  readonly hub: string
  readonly profile: Profile
  /** Null where the hub has no chain. */
  readonly contracts: ActionContracts | null
  /** Null where the hub has none. */
  readonly vaultFactory: string | null
  /** Where everybody reaches the chain; null where the hub names no place. */
  readonly rpcUrl: string | null
  /** The time that the hub dates by, which may be ahead of this machine's; Unix seconds. */
  readonly now: () => Promise<number>
  /** Calls without a credential. */
  readonly client: HubClient
  /** Calls with the token of a session. */
  readonly clientOf: (token: string) => HubClient
}

/** What the tools read of a descriptor. */
const Descriptor = z.object({
  network: z.string().optional(),
  protocol: z.string().optional(),
  profile: z.unknown().optional(),
  chain: z.object({
    id: z.int().positive(),
    rpc_url: z.string().nullish(),
    contracts: z.record(z.string(), z.string().nullable()),
  }),
})

/**
 * Reads the descriptor of a hub.
 *
 * @param send sends every request of the network's clients.
 * @throws {@link HubError} when what answers is no hub, or a hub that refuses.
 */
export async function readNetwork(hub: string, send: Fetch = fetchFromHub): Promise<Network> {
  const fetch = keepBookmark(send)
  const client = connect(hub, { fetch })
  const descriptor = await readDescriptor(hub, client)
  const { chain } = descriptor
  const profile = profileOf(hub, descriptor)
  const {
    project_registry,
    staking,
    vault_factory,
    [profileStrings(profile).token_member]: token,
  } = chain.contracts
  return {
    hub,
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    vaultFactory: vault_factory ?? null,
    rpcUrl: chain.rpc_url ?? null,
    now: async () => (await unwrap(client.GET('/v1/status', { fetch: fetchFromHub }))).time,
    client,
    clientOf: (token) => connect(hub, { token, fetch }),
  }
}

async function readDescriptor(hub: string, client: HubClient): Promise<z.output<typeof Descriptor>> {
  const answer = await client.GET('/').catch((error) => {
    throw error instanceof SyntaxError ? notAHub(hub, 'its answer is not JSON') : error
  })
  if (!answer.response.ok && !isRefusal(answer.error))
    throw notAHub(hub, `it answers ${answer.response.status}`)
  const { success, data, error } = Descriptor.safeParse(await unwrap(Promise.resolve(answer)))
  if (success) return data
  const place = error.issues[0]?.path.join('.')
  throw notAHub(hub, place ? `its descriptor is wrong at ${place}` : 'its descriptor is wrong')
}

/** The names that a hub says its network has. @throws {@link HubError} for others than the descriptor uses. */
function profileOf(
  hub: string,
  { network, protocol, profile: given, chain }: z.output<typeof Descriptor>,
): Profile {
  const read = given === undefined ? { profile: resolveProfile({ chain_id: chain.id }) } : readProfile(given)
  if ('problems' in read)
    throw notAHub(hub, `the profile of its descriptor is wrong: ${describeProfileProblems(read.problems)}`)
  const { profile } = read
  const own = {
    network: profile.network,
    protocol: profileStrings(profile).descriptor_protocol,
    id: profile.chain_id,
  }
  for (const [name, said] of Object.entries({ network, protocol, id: chain.id }))
    if (said !== undefined && said !== own[name as keyof typeof own])
      throw new HubError(
        `The hub at ${hub} belongs to a network with other names: its ${name} is ${said}, ${given === undefined ? 'and this client, which the hub tells no names, expects' : 'and its profile says'} ${own[name as keyof typeof own]}. ${nameAnotherHub}`,
      )
  return profile
}

const notAHub = (hub: string, reason: string): HubError =>
  new HubError(`The server at ${hub} is not a hub: ${reason}. ${nameAnotherHub}`)
