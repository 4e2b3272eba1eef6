import { setTimeout as wait } from 'node:timers/promises'
import createClient, { type Client } from 'openapi-fetch'
import type { paths } from '../client/api.generated.ts'
import { reach } from '../session.ts'
import { gist, shorten, show } from './show.ts'

/** Calls of the hub, with the types of its OpenAPI document. */
export interface Connection {
  /** Prints what it sends and what it gets. */
  readonly shown: Client<paths>
  readonly silent: Client<paths>
}

/** @param token Of a session; none for calls that are open to all. */
export function connect(baseUrl: string, token?: string): Connection {
  const headers = {
    // Compiling takes long enough for an idle connection to be closed under us.
    Connection: 'close',
    ...(token && { Authorization: `Bearer ${token}` }),
  }
  return {
    shown: createClient<paths>({ baseUrl, headers, fetch: showing }),
    silent: createClient<paths>({ baseUrl, headers, fetch: reach }),
  }
}

/** One request, printed with what it answered. */
async function showing(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const isJson = request.headers.get('content-type') === 'application/json'
  const sent = isJson ? `  ${shorten(await request.clone().text())}` : ''
  const size = !isJson && request.body ? `  (${(await request.clone().arrayBuffer()).byteLength} bytes)` : ''
  show('→', `${request.method} ${shorten(pathname + search)}${sent}${size}`)
  const response = await reach(request)
  show('←', `${response.status}  ${shorten(await textOf(response))}`)
  return response
}

async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('application/json')) return response.clone().text()
  const { byteLength } = await response.clone().arrayBuffer()
  return byteLength > 0 ? `${byteLength} bytes` : ''
}

type Answer<T> = Promise<{ data?: T; error?: unknown; response: Response }>

/** What the hub answered. Throws when it refused. */
export async function done<T>(answer: Answer<T>): Promise<T> {
  const { data, error, response } = await answer
  if (response.ok) return data as T
  const { pathname } = new URL(response.url)
  const { error: code, message } = (error ?? {}) as { error?: string; message?: string }
  // What stands between here and the hub answers in a form of its own.
  const reason = code === undefined ? `: ${JSON.stringify(error)}` : ` ${code}: ${message}`
  throw new Error(`${pathname} answered ${response.status}${reason}`)
}

/** Throws when the hub did not refuse, or with another status. */
export async function refused(answer: Answer<unknown>, status: number): Promise<void> {
  const { response } = await answer
  if (response.status !== status)
    throw new Error(`${response.url} answered ${response.status} where ${status} was expected`)
}

const patienceMs = 60_000
const pauseMs = 200

/** Reads again and again until it is as it should be, and prints that once. */
export async function until<T extends object>(
  read: () => Answer<T>,
  isThere: (record: T) => boolean,
): Promise<T> {
  for (const limit = Date.now() + patienceMs; ; await wait(pauseMs)) {
    const { data, response } = await read()
    const { pathname } = new URL(response.url)
    if (data && isThere(data)) {
      show('→', `GET ${shorten(pathname)}`)
      show('←', shorten(gist(data) || JSON.stringify(data)))
      return data
    }
    if (Date.now() > limit) throw new Error(`${pathname} is still ${JSON.stringify(data)}`)
  }
}
