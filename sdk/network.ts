import type { ActionContracts } from '../protocol/actions/index.ts'
import {
  describeProfileProblems,
  type Profile,
  profileStrings,
  readProfile,
  resolveProfile,
} from '../protocol/identity/index.ts'
import type { Client } from './client.ts'
import { AnswerError, HubError } from './errors.ts'

/** The network as the descriptor of its hub says it is. */
export interface Network {
  readonly profile: Profile
  /** Null if the hub has no chain. */
  readonly contracts: ActionContracts | null
  /** Null if the hub has none. */
  readonly vaultFactory: string | null
  /** The currency that pays for the chain's gas, with 18 decimals. */
  readonly coin: { readonly symbol: string; readonly name: string }
  /** The chain's public RPC URL; null if the hub names none. */
  readonly rpcUrl: string | null
}

/** Reads the descriptor of a hub. @throws {@link HubError} when the server is not a hub, or refuses. */
export async function readNetwork(client: Client): Promise<Network> {
  const notAHub = (reason: string, cause?: unknown) =>
    new HubError(`The server at ${client.url} is not a hub: ${reason}.`, { cause })
  const descriptor: unknown = await client.call('GET /').catch((error) => {
    if (!(error instanceof AnswerError) || isRedirect(error.status)) throw error
    throw notAHub(error.status < 300 ? 'its answer is not JSON' : `it answers ${error.status}`, error)
  })
  if (!isRecord(descriptor)) throw notAHub('its descriptor is wrong')
  const { chain } = descriptor
  if (!isRecord(chain)) throw notAHub('its descriptor is wrong at chain')
  if (!Number.isSafeInteger(chain.id)) throw notAHub('its descriptor is wrong at chain.id')
  if (!isRecord(chain.contracts)) throw notAHub('its descriptor is wrong at chain.contracts')
  const profile = profileOf(client.url, descriptor, chain.id as number, notAHub)
  const contracts = chain.contracts as Readonly<Record<string, string | null>>
  const { project_registry, staking, vault_factory } = contracts
  const token = contracts[profileStrings(profile).token_member]
  const { chainId, contracts: pinned = {} } = client.network ?? { chainId: profile.chain_id }
  const said = { chainId: profile.chain_id, project_registry, staking, token }
  for (const [name, wanted] of Object.entries({ chainId, ...pinned })) {
    const other = said[name as keyof typeof said]
    if (wanted !== undefined && String(wanted).toLowerCase() !== String(other).toLowerCase())
      throw new HubError(
        `The hub at ${client.url} belongs to another network: its ${name} is ${other}, not ${wanted}.`,
      )
  }
  return {
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    vaultFactory: vault_factory ?? null,
    coin: coinOf(chain.coin),
    rpcUrl: (chain.rpc_url as string | undefined) ?? null,
  }
}

/** A hub that does not say it has a chain of the usual coin. */
function coinOf(said: unknown): Network['coin'] {
  const { symbol, name } = isRecord(said) ? said : {}
  return {
    symbol: typeof symbol === 'string' ? symbol : 'ETH',
    name: typeof name === 'string' ? name : 'Ether',
  }
}

/** The names that a hub says its network has. @throws {@link HubError} for others than the descriptor uses. */
function profileOf(
  hub: string,
  { network, protocol, profile: given }: Readonly<Record<string, unknown>>,
  chainId: number,
  notAHub: (reason: string) => HubError,
): Profile {
  const read = given === undefined ? { profile: resolveProfile({ chain_id: chainId }) } : readProfile(given)
  if ('problems' in read)
    throw notAHub(`the profile of its descriptor is wrong: ${describeProfileProblems(read.problems)}`)
  const { profile } = read
  const own = {
    network: profile.network,
    protocol: profileStrings(profile).descriptor_protocol,
    id: profile.chain_id,
  }
  for (const [name, said] of Object.entries({ network, protocol, id: chainId }))
    if (said !== undefined && said !== own[name as keyof typeof own])
      throw new HubError(
        `The hub at ${hub} belongs to a network with other names: its ${name} is ${said}, ${given === undefined ? 'and this client, which the hub tells no names, expects' : 'and its profile says'} ${own[name as keyof typeof own]}.`,
      )
  return profile
}

/** 0 in a browser, which shows nothing of it. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
