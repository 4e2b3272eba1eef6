import { Client, type Fetch, reasonOf } from '../../sdk/client.ts'
import { HubError, UnreachableError } from '../../sdk/errors.ts'
import { createHub, type Hub } from '../../sdk/index.ts'
import { type Network as Facts, readNetwork as readFacts } from '../../sdk/network.ts'
import type { RetryOptions } from '../../sdk/retries.ts'
import { callOf } from '../command/call.ts'

/** The network as the descriptor of its hub says it is, and ways to call it. */
export interface Network extends Facts {
  /** Origin of the hub. */
  readonly hub: string
  /** The time that the hub dates by, which may be ahead of this machine's; Unix seconds. */
  readonly now: () => Promise<number>
  /** Calls without a credential. */
  readonly client: Hub
  /** The same, past what shows the calls of others. */
  readonly quiet: Hub
  /** Calls with the token of a session, or the key of a developer. */
  readonly clientOf: (token: string, send?: Fetch) => Hub
}

/** The end of a message about a hub that cannot be asked. */
const nameAnotherHub = 'Name another with --hub URL or in HUB_URL.'

/** Sends a request to a hub. @throws {@link HubError} that says what to do when nobody answers. */
export const fetchFromHub: Fetch = (request) => {
  // A command may compute for longer than a server keeps an idle connection open.
  request.headers.set('Connection', 'close')
  return fetch(request).catch((cause) => {
    const { origin } = new URL(request.url)
    throw new UnreachableError(
      `No hub answers on ${origin}: ${reasonOf(cause)}. Start one with "${callOf('start')}". ${nameAnotherHub}`,
      { cause },
    )
  })
}

/** Longer than what a call may wait for, and than a hub is away that is started again. */
const timeout = 300_000

/** @param send sends every request of the network's clients, but those of `quiet`. @param retry - How often a hub in trouble is asked again. */
export function connectTo(hub: string, send: Fetch = fetchFromHub, retry?: RetryOptions) {
  const hubWith = (fetch: Fetch, session?: string) => createHub({ url: hub, fetch, session, timeout, retry })
  const quiet = hubWith(fetchFromHub)
  return {
    hub,
    client: hubWith(send),
    quiet,
    clientOf: (token: string, other = send) => hubWith(other, token),
    now: async () => (await quiet.call('GET /v1/status')).time,
  }
}

/** Reads the descriptor of a hub. @throws {@link HubError} if the server is not a hub, or the hub refuses. */
export async function readNetwork(
  hub: string,
  send: Fetch = fetchFromHub,
  retry?: RetryOptions,
): Promise<Network> {
  const facts = await readFacts(new Client({ url: hub, fetch: send, timeout, retry })).catch((error) => {
    throw /is not a hub/.test(error.message) ? new HubError(`${error.message} ${nameAnotherHub}`) : error
  })
  return { ...facts, ...connectTo(hub, send, retry) }
}

/** The payments, the epochs and the vault of a project. */
export const readEconomics = ({ call }: Hub, projectId: string) =>
  call('GET /v1/projects/{project_id}/economics', { path: { project_id: projectId } })
