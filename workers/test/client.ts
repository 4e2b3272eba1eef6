import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Env } from '../env.ts'
import hub from '../index.ts'
import { requireDocumented } from './conformance.ts'
import type { Json } from './known-answers.ts'

export const baseUrl = 'http://localhost:8787'

/** Begins at a random address: the test file before may have left limits behind. */
let addresses = crypto.getRandomValues(new Uint32Array(1))[0]!
/** A client address nobody has used, so that rate limits of one test do not reach another. */
export const freshAddress = (): string => {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** Reads from an address before the next clients get another: fewer than any limit that one address has for them. */
const sharedCallsMax = 48
/** An address may write less often than read. */
const callsOfWrite = 3
let shared = { address: freshAddress(), calls: 0 }

/** Each address costs the limiter an object for each of its budgets, so clients that come nowhere near a limit share one. */
function sharedAddress(): typeof shared {
  if (shared.calls >= sharedCallsMax) leaveAddress()
  return shared
}

/** Lets the next clients call from an address that nobody has used. */
export function leaveAddress(): void {
  shared = { address: freshAddress(), calls: 0 }
}

export interface Client {
  /** The client address. */
  from: string
  fetch: (path: string, init?: RequestInit & { json?: unknown }) => Promise<Response>
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  post: (path: string, json?: unknown, headers?: Record<string, string>) => Promise<Response>
  put: (path: string, json: unknown, headers?: Record<string, string>) => Promise<Response>
  delete: (path: string, headers?: Record<string, string>) => Promise<Response>
}

interface ClientOptions {
  token?: string
  /** An address of its own, if a test reaches a limit or counts the rest of it. A client with other limits gets one by itself. */
  address?: string
  /** Bindings that differ, to inject a fault at a real boundary. */
  bindings?: Partial<Env>
}

const hasLimits = (bindings: Partial<Env> = {}): boolean =>
  'RATE_LIMITER' in bindings || 'RATE_LIMIT_MULTIPLIER' in bindings

const bound = new WeakMap<Partial<Env>, Env>()

/** The bindings of the tests with these in their place. The hub keeps its services for each object of bindings. */
function boundTo(bindings: Partial<Env>): Env {
  const known = bound.get(bindings) ?? { ...env, ...bindings }
  bound.set(bindings, known)
  return known
}

/** Calls the hub as a program at one client address would. */
export function client({ token, address: own, bindings }: ClientOptions = {}): Client {
  const alone = own ?? (hasLimits(bindings) ? freshAddress() : undefined)
  const from = alone === undefined ? sharedAddress() : { address: alone, calls: 0 }
  const { address } = from
  const hubEnv = bindings ? boundTo(bindings) : env
  const send: Client['fetch'] = async (path, { json, ...init } = {}) => {
    from.calls += (init.method ?? 'GET') === 'GET' ? 1 : callsOfWrite
    const headers = new Headers(init.headers)
    headers.set('CF-Connecting-IP', address)
    if (token !== undefined && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`)
    if (json !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
    const request = new Request(`${baseUrl}${path}`, {
      ...init,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    const ctx = createExecutionContext()
    const response = await hub.fetch(request as Request<unknown, IncomingRequestCfProperties>, hubEnv, ctx)
    await waitOnExecutionContext(ctx)
    await requireDocumented(env, { method: request.method, path, json, response })
    return response
  }
  return {
    from: address,
    fetch: send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, json, headers = {}) =>
      send(path, { method: 'POST', headers, ...(json !== undefined && { json }) }),
    put: (path, json, headers = {}) => send(path, { method: 'PUT', headers, json }),
    delete: (path, headers = {}) => send(path, { method: 'DELETE', headers }),
  }
}

export type Answer = Response | Promise<Response>

/** Runs the schedule of the hub, once. */
export const runSchedule = () => hub.scheduled(createScheduledController(), env)

/** The JSON of an answer. */
export const bodyOf = async <T = Json>(answer: Answer): Promise<T> => (await answer).json()

/** The items of a page. */
export const itemsOf = async <Item = Json>(answer: Answer): Promise<Item[]> =>
  (await bodyOf<{ items: Item[] }>(answer)).items

/** Status and JSON of an answer. */
export async function statusAndBody(answer: Answer): Promise<[number, Json]> {
  const { status } = await answer
  return [status, await bodyOf(answer)]
}

/** The code, status and everything else a failed call answered with. */
export async function errorOf(answer: Answer) {
  const { status, headers } = await answer
  const body = await bodyOf<{
    error: string
    message: string
    details?: { problems?: { path: string; code: string; message: string }[]; [key: string]: unknown }
    request_id: string
  }>(answer)
  return { status, headers, ...body }
}

/** Expects an answer with a status and, among others, these members. */
export async function expectAnswer(answer: Answer, status: number, members: object): Promise<void> {
  expect(await statusAndBody(answer)).toMatchObject([status, members])
}

/** Expects a refusal, such as `404 not_found`, and among others these members of it; gives all of it. */
export async function expectRefusal(answer: Answer, refusal: string, members: object = {}) {
  const error = await errorOf(answer)
  expect({ ...error, refusal: `${error.status} ${error.error}` }).toMatchObject({ refusal, ...members })
  return error
}

/** Expects 400 `invalid_field` with problems of these members, and of no other. */
export async function expectInvalid(answer: Answer, ...paths: string[]): Promise<void> {
  const { details } = await expectRefusal(answer, '400 invalid_field')
  expect(details?.problems?.map(({ path }) => path)).toEqual(paths)
}

/** The items of each page of a list, up to its end. */
export async function pagesOf<Item = Json>(
  { get }: Pick<Client, 'get'>,
  path: string,
  limit: number,
  betweenPages: () => unknown = () => {},
): Promise<Item[][]> {
  const pages: Item[][] = []
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  for (let cursor: string | null = ''; cursor !== null; await betweenPages()) {
    const answer = await get(first + (cursor && `&cursor=${encodeURIComponent(cursor)}`))
    expect(answer.status).toBe(200)
    const page: { items: Item[]; next_cursor: string | null } = await bodyOf(answer)
    pages.push(page.items)
    cursor = page.next_cursor
    const [, next] = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
    expect(next === undefined ? null : new URL(next, baseUrl).searchParams.get('cursor')).toBe(cursor)
  }
  return pages
}

/** The answers of calls that are made at the same time. */
export const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** The statuses of answers, ascending. */
export const statusesOf = async (answers: readonly Answer[] | Promise<Response[]>): Promise<number[]> =>
  (await Promise.all(await answers)).map(({ status }) => status).sort()
