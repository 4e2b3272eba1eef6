import { readAnswer } from './answers.ts'
import { keyedOperations } from './api.generated.ts'
import { type Clock, noClock, unlessAborted, withDeadline } from './deadline.ts'
import {
  ActionFailed,
  AnswerError,
  type Begun,
  DeadlineError,
  HubError,
  NotFound,
  Refusal,
  TaskFailed,
  UnreachableError,
} from './errors.ts'
import type { Answer, CallArguments, CallOptions, Given, Operation } from './operations.ts'
import { Retries, type RetryOptions, sleep } from './retries.ts'

export type Fetch = (request: Request) => Promise<Response>

/** The parts of one try that a credential may sign. */
export interface Target {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body: string | Uint8Array | undefined
}

/** Authenticates the calls of one caller. */
export interface Credential {
  /** Headers of one try. */
  readonly headers: (
    target: Target,
    signal: AbortSignal,
  ) => Record<string, string> | Promise<Record<string, string>>
  /** Renews a credential after the hub refused these headers of a try. Left out if it cannot be renewed. */
  readonly renew?: ((sent: Readonly<Record<string, string>>) => Promise<void>) | undefined
  /** Whether `renew` waits for a person, who needs no part of the time of the call for that. */
  readonly isRenewedByPerson?: boolean
}

export interface ClientOptions {
  /** Origin of the hub. */
  readonly url: string
  /** Sends every request, in place of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  readonly retry?: RetryOptions | undefined
  /** For one call, all tries together; milliseconds, or Infinity. Default: 60 s. */
  readonly timeout?: number | undefined
  /** The network that is meant. A hub of another one is refused before anything is signed for it. */
  readonly network?: PinnedNetwork | undefined
}

/** The chain id and contract addresses that you expect of a network. */
export interface PinnedNetwork {
  readonly chainId: number
  readonly contracts?: { readonly [Name in 'project_registry' | 'staking' | 'token']?: string } | undefined
}

const bookmarkName = 'X-Bookmark'
const keyName = 'Idempotency-Key'
/** Error codes for a credential that can be renewed. */
const staleCodes: readonly string[] = ['session_expired', 'unauthorized']

/** A request that nobody holds is collected, and in Node its signal then no longer ends the answer: each is held as long as its body. */
const requestOf = new WeakMap<ReadableStream, Request>()

/** State that all callers of one hub share. */
class Shared {
  readonly url: string
  readonly fetch: Fetch
  readonly retries: Retries
  readonly timeout: number
  readonly network: PinnedNetwork | undefined
  /** The newest that the hub gave. Reads carry it, and so see what was written before, whichever copy of the database answers. */
  bookmark: string | null = null

  constructor({
    url,
    fetch = (request) => globalThis.fetch(request),
    retry,
    timeout = 60_000,
    network,
  }: ClientOptions) {
    if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
      throw new HubError(`url must start with https:// or http://, not ${JSON.stringify(url)}.`)
    this.url = url.replace(/\/+$/, '')
    this.network = network
    this.fetch = fetch
    this.retries = new Retries(retry)
    this.timeout = timeout
  }
}

/** Sends the calls of one caller. */
export class Client {
  readonly #shared: Shared
  readonly #credential: Credential | null

  constructor(options: ClientOptions | Shared, credential: Credential | null = null) {
    this.#shared = options instanceof Shared ? options : new Shared(options)
    this.#credential = credential
  }

  get url(): string {
    return this.#shared.url
  }

  get network(): PinnedNetwork | undefined {
    return this.#shared.network
  }

  get retries(): Retries {
    return this.#shared.retries
  }

  /** The same hub, called by someone else. */
  as = (credential: Credential | null): Client => new Client(this.#shared, credential)

  /** Calls the hub, as often as it takes and is safe. @throws {@link HubError} */
  call = async <O extends Operation>(operation: O, ...[args]: Given<O>): Promise<Answer<O>> => {
    const call = prepare(operation, args ?? {})
    const { timeout = this.#shared.timeout } = call
    const answer = withDeadline(operation, timeout, call.signal, (signal, clock) =>
      this.#repeat(call, signal, clock, (response) => readAnswer(operation, response)),
    )
    return noting({ idempotencyKey: call.headers.get(keyName) ?? undefined }, answer) as Promise<Answer<O>>
  }

  /** Calls the hub once for an answer that has no end, and therefore no deadline. */
  open = <O extends Operation>(
    operation: O,
    args: CallArguments<O> & { signal: AbortSignal },
  ): Promise<Response> =>
    this.#repeat(prepare(operation, args), args.signal, noClock, async (response) => {
      if (!response.ok) await readAnswer(operation, response)
      return response
    })

  /** As {@link call}, but null if the hub answers `not_found`. */
  find = <O extends Operation>(operation: O, ...given: Given<O>): Promise<Answer<O> | null> =>
    this.call(operation, ...given).catch((error) => {
      if (error instanceof NotFound) return null
      throw error
    })

  async #repeat<T>(
    call: PreparedCall,
    signal: AbortSignal,
    clock: Clock,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    let renewed = false
    let mayHaveActed = false
    const giveUp = (error: unknown): never => {
      if (mayHaveActed) leftOpen.add(Object(error))
      throw error
    }
    for (let attempt = 1; ; attempt++) {
      const sent: { headers?: Record<string, string> } = {}
      try {
        const answer = await read(await this.#send(call, signal, sent)).catch((error) => {
          if (error instanceof HubError) throw error
          throw new UnreachableError(`The answer to ${call.operation} broke off: ${reasonOf(error)}.`, {
            cause: error,
          })
        })
        this.retries.succeeded()
        return answer
      } catch (error) {
        signal.throwIfAborted()
        if (!renewed && (await this.#isRenewed(error, signal, clock, sent.headers).catch(giveUp))) {
          renewed = true
          continue
        }
        // A try before, whose answer was lost, has deleted it.
        if (mayHaveActed && call.method === 'DELETE' && error instanceof NotFound) return undefined as T
        const { status } = error as { status?: number }
        if (error instanceof UnreachableError || (status !== undefined && status >= 500)) mayHaveActed = true
        const waitMs = this.retries.next(error, attempt, call.repeatable, clock.leftMs())
        if (waitMs === null) return giveUp(error)
        await sleep(waitMs, signal)
      }
    }
  }

  async #isRenewed(
    error: unknown,
    signal: AbortSignal,
    clock: Clock,
    sent: Record<string, string> = {},
  ): Promise<boolean> {
    const { renew, isRenewedByPerson = false } = this.#credential ?? {}
    if (renew === undefined || !(error instanceof Refusal) || !staleCodes.includes(error.code)) return false
    const renewed = () => unlessAborted(signal, renew(sent))
    await (isRenewedByPerson ? clock.without(renewed) : renewed())
    return true
  }

  /** @param sent is told the headers that the credential gives. */
  async #send(
    call: PreparedCall,
    signal: AbortSignal,
    sent: { headers?: Record<string, string> },
  ): Promise<Response> {
    const shared = this.#shared
    // Called as a method, the `fetch` of a browser throws.
    const { fetch } = shared
    const { method, path, headers, body = null } = call
    sent.headers = (await this.#credential?.headers(call, signal)) ?? {}
    const request = new Request(shared.url + path, {
      method,
      headers,
      body: body as NonNullable<RequestInit['body']> | null,
      signal,
      // If a redirect were followed, a POST would become a GET, and a request signed for this hub would go to another.
      redirect: 'manual',
    })
    for (const [name, value] of Object.entries(sent.headers)) request.headers.set(name, value)
    if (shared.bookmark !== null && method === 'GET') request.headers.set(bookmarkName, shared.bookmark)
    let response: Response
    try {
      response = await fetch(request)
    } catch (error) {
      if (error instanceof HubError) throw error
      throw new UnreachableError(`No hub answers on ${shared.url}: ${reasonOf(error as Error)}.`, {
        cause: error,
      })
    }
    if (response.body !== null) requestOf.set(response.body, request)
    const target = response.headers.get('Location')
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400 && target))
      throw new AnswerError(
        `${shared.url} answers ${call.operation} with a redirect${target ? ` to ${target}` : ''}: give the URL of the hub itself as url.`,
        response.status,
      )
    const bookmark = response.headers.get(bookmarkName)
    // Bookmarks ascend as texts do; answers may come in another order than they were asked for.
    if (bookmark !== null && (shared.bookmark === null || bookmark > shared.bookmark))
      shared.bookmark = bookmark
    return response
  }
}

interface PreparedCall extends Target {
  readonly operation: string
  readonly headers: Headers
  readonly repeatable: boolean
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
}

type LooseArguments = CallOptions & {
  readonly path?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

function prepare(operation: string, args: object): PreparedCall {
  const { path, query, body, signal, timeout, headers: given, ...options } = args as LooseArguments
  const [method, template] = operation.split(' ') as [string, string]
  const headers = new Headers(given)
  const isBytes = body instanceof Uint8Array
  if (body !== undefined && !headers.has('Content-Type'))
    headers.set('Content-Type', isBytes ? 'application/octet-stream' : 'application/json')
  const { idempotencyKey } = options
  const isKeyed = keyedOperations.includes(operation) && idempotencyKey !== null
  if (typeof idempotencyKey === 'string' && !isKeyed)
    throw new HubError(`${operation} takes no Idempotency-Key: leave out idempotencyKey.`)
  if (isKeyed && !headers.has(keyName)) headers.set(keyName, idempotencyKey ?? freshId())
  const isIdempotent = method !== 'POST' && method !== 'PATCH'
  return {
    operation,
    method,
    path: pathOf(template, path, query),
    body: body === undefined || isBytes ? body : JSON.stringify(body),
    headers,
    repeatable: options.repeatable ?? (isIdempotent || isKeyed),
    timeout,
    signal,
  }
}

/** Fills in a template of a path. */
export function pathOf(template: string, path: object = {}, query: object = {}): string {
  const values = path as Record<string, unknown>
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    // A URL has no such segments: it would be that of another call.
    if (['', '.', '..'].includes(value))
      throw new HubError(
        `${template} needs the path parameter ${name}, which cannot be ${JSON.stringify(value)}.`,
      )
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** 128 random bits in the form of a UUID. Pages without TLS have no `crypto.randomUUID`. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Has the errors of a piece of work say what it has begun. */
export const noting = <T>(begun: Begun, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw isOpen(error, begun) ? Object.assign(error, begun) : error
  })

/** Errors of a call of which an earlier try may have acted. */
const leftOpen = new WeakSet<object>()

/** Whether the work may go on after an error: nobody said what became of it, or only a question about it or a repeated try failed. */
function isOpen(error: unknown, { taskId, transactionId }: Begun): error is HubError {
  if (!(error instanceof HubError) || error instanceof TaskFailed || error instanceof ActionFailed)
    return false
  if (taskId !== undefined || transactionId !== undefined) return true
  if (error instanceof DeadlineError || error instanceof UnreachableError) return true
  if (leftOpen.has(error)) return true
  return (error instanceof Refusal || error instanceof AnswerError) && error.status >= 500
}

/** fetch says "fetch failed" and hides the reason. */
export function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const { code } = cause as { code?: unknown }
  if (String(code).startsWith('ERR_SSL')) return 'the server does not speak TLS, so its URL starts with http:'
  return cause.message || String(code ?? cause)
}
