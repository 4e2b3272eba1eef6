import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.generated.ts'
import { HubError } from './hub-error.ts'

/** Calls of the hub, with the types of its OpenAPI document. */
export type HubClient = Client<paths>

export type Fetch = (request: Request) => Promise<Response>

export interface ConnectOptions {
  /** Of a session; left out for calls without a credential. */
  readonly token?: string
  readonly headers?: Record<string, string>
  readonly fetch?: Fetch
}

/** @param hub Origin of the hub. */
export const connect = (
  hub: string,
  { token, headers, fetch = fetchFromHub }: ConnectOptions = {},
): HubClient =>
  createClient<paths>({
    baseUrl: hub,
    headers: {
      // A command may compute for longer than a server keeps an idle connection open.
      Connection: 'close',
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    fetch,
  })

/** What stands at the end of a message about a hub that cannot be asked. */
export const nameAnotherHub = 'Name another with --hub URL or in HUB_URL.'

/** Sends a request to a hub. @throws {@link HubError} when nobody answers. */
export const fetchFromHub: Fetch = (request) =>
  fetch(request).catch((error) => {
    const { origin } = new URL(request.url)
    throw new HubError(
      `No hub answers on ${origin}: ${reasonOf(error)}. Start one with "npm start". ${nameAnotherHub}`,
    )
  })

/** fetch says "fetch failed" and hides the reason. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const { code } = cause as NodeJS.ErrnoException
  if (code?.startsWith('ERR_SSL')) return 'the server does not speak TLS, so its URL starts with http:'
  return cause.message || String(cause)
}
