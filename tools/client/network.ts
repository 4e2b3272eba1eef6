import type { ActionContracts } from '../../protocol/actions/index.ts'
import { type Profile, profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import { unwrap } from './answers.ts'
import { keepBookmark } from './bookmark.ts'
import { connect, type Fetch, fetchFromHub, type HubClient, HubError, nameAnotherHub } from './connect.ts'

/** The network as the descriptor of its hub says it is. */
export interface Network {
  /** Origin of the hub. */
  readonly hub: string
  readonly profile: Profile
  /** Null where the hub has no chain. */
  readonly contracts: ActionContracts | null
  /** Calls without a credential. */
  readonly client: HubClient
  /** Calls with the token of a session. */
  readonly clientOf: (token: string) => HubClient
}

/**
 * Reads the descriptor of a hub.
 *
 * @param send sends every request of the network's clients.
 * @throws {@link HubError}
 */
export async function readNetwork(hub: string, send: Fetch = fetchFromHub): Promise<Network> {
  const fetch = keepBookmark(send)
  const client = connect(hub, { fetch })
  const descriptor = await unwrap(client.GET('/')).catch((error) => {
    throw error instanceof SyntaxError ? notAHub(hub, ': / gives no JSON') : error
  })
  const chain = descriptor?.chain
  if (chain?.id === undefined) throw notAHub(hub)
  const profile = resolveProfile({ chain_id: chain.id })
  const { project_registry, staking, [profileStrings(profile).token_member]: token } = chain.contracts
  return {
    hub,
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    client,
    clientOf: (token) => connect(hub, { token, fetch }),
  }
}

const notAHub = (hub: string, reason = ''): HubError =>
  new HubError(`What answers on ${hub} is no hub${reason}. ${nameAnotherHub}`)
