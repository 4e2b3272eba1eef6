import type { ActionContracts } from '../protocol/actions/index.ts'
import { type Profile, profileStrings, resolveProfile } from '../protocol/identity/index.ts'
import type { Client } from './client.ts'
import { AnswerError, HubError } from './errors.ts'

/** The network as the descriptor of its hub says it is. */
export interface Network {
  readonly profile: Profile
  /** Null where the hub has no chain. */
  readonly contracts: ActionContracts | null
  /** Null where the hub has none. */
  readonly vaultFactory: string | null
  /** Where everybody reaches the chain; null where the hub names no place. */
  readonly rpcUrl: string | null
}

/** Reads the descriptor of a hub. @throws {@link HubError} when what answers is no hub, or a hub that refuses. */
export async function readNetwork(client: Client): Promise<Network> {
  const notAHub = (reason: string, cause?: unknown) =>
    new HubError(`The server at ${client.url} is not a hub: ${reason}.`, { cause })
  const descriptor: unknown = await client.call('GET /').catch((error) => {
    if (!(error instanceof AnswerError)) throw error
    throw notAHub(error.status < 300 ? 'its answer is not JSON' : `it answers ${error.status}`, error)
  })
  const { chain } = (descriptor ?? {}) as { chain?: { id?: unknown; rpc_url?: string; contracts?: Contracts } }
  if (!isRecord(chain) || !Number.isSafeInteger(chain.id)) throw notAHub('its descriptor is wrong at chain.id')
  if (!isRecord(chain.contracts)) throw notAHub('its descriptor is wrong at chain.contracts')
  const profile = resolveProfile({ chain_id: chain.id as number })
  const { project_registry, staking, vault_factory } = chain.contracts
  const token = chain.contracts[profileStrings(profile).token_member]
  return {
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    vaultFactory: vault_factory ?? null,
    rpcUrl: chain.rpc_url ?? null,
  }
}

type Contracts = Readonly<Record<string, string | null>>

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null
