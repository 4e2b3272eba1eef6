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
  if (!isRecord(descriptor)) throw notAHub('its descriptor is wrong')
  const { chain } = descriptor
  if (!isRecord(chain)) throw notAHub('its descriptor is wrong at chain')
  if (!Number.isSafeInteger(chain.id)) throw notAHub('its descriptor is wrong at chain.id')
  if (!isRecord(chain.contracts)) throw notAHub('its descriptor is wrong at chain.contracts')
  const profile = resolveProfile({ chain_id: chain.id as number })
  const contracts = chain.contracts as Readonly<Record<string, string | null>>
  const { project_registry, staking, vault_factory } = contracts
  const token = contracts[profileStrings(profile).token_member]
  return {
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    vaultFactory: vault_factory ?? null,
    rpcUrl: (chain.rpc_url as string | undefined) ?? null,
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
