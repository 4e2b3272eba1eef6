import { readAnswer } from './answers.ts'
import { keyedOperations } from './api.generated.ts'
import { DeadlineError, HubError, NotFound, Refusal, UnreachableError } from './errors.ts'
import type { Answer, CallArguments, CallOptions, Given, Operation } from './operations.ts'
import { Retries, type RetryOptions, sleep } from './retries.ts'

export type Fetch = (request: Request) => Promise<Response>

/** What a try is signed over. */
export interface Target {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body: string | Uint8Array | undefined
}

/** Who calls. */
export interface Credential {
  /** Headers of one try. */
  readonly headers: (
    target: Target,
    signal: AbortSignal,
  ) => Record<string, string> | Promise<Record<string, string>>
  /** Makes a credential good that the hub no longer takes. Left out where that is impossible. */
  readonly renew?: (signal: AbortSignal) => Promise<void>
}

export interface ClientOptions {
  /** Origin of the hub. */
  readonly url: string
  /** Sends every request, in place of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  readonly retry?: RetryOptions | undefined
  /** For one call, all tries together; milliseconds. Default: 60 s. */
  readonly timeout?: number | undefined
}

const bookmarkName = 'X-Bookmark'
const keyName = 'Idempotency-Key'
/** What the hub says of a credential that another one may replace. */
const staleCodes: readonly string[] = ['session_expired', 'unauthorized']

/** What all callers of one hub share. */
class Shared {
  readonly url: string
  readonly fetch: Fetch
  readonly retries: Retries
  readonly timeout: number
  /** The newest that the hub gave. Reads carry it, and so see what was written before, whichever copy of the database answers. */
  bookmark: string | null = null

  constructor({
    url,
    fetch = (request) => globalThis.fetch(request),
    retry,
    timeout = 60_000,
  }: ClientOptions) {
    this.url = url.replace(/\/+$/, '')
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

  get retries(): Retries {
    return this.#shared.retries
  }

  /** The same hub, called by someone else. */
  as = (credential: Credential | null): Client => new Client(this.#shared, credential)

  /** Calls the hub, as often as it takes and is safe. @throws {@link HubError} */
  call = async <O extends Operation>(operation: O, ...[args]: Given<O>): Promise<Answer<O>> => {
    const call = prepare(operation, args ?? {})
    const { timeout = this.#shared.timeout } = call
    const deadlineMs = Date.now() + timeout
    const answer = await withDeadline(operation, timeout, call.signal, (signal) =>
      this.#repeat(call, signal, deadlineMs, (response) => readAnswer(operation, response)),
    )
    return answer as Answer<O>
  }

  /** Calls the hub for an answer that has no end, and therefore no deadline. */
  open = <O extends Operation>(
    operation: O,
    args: CallArguments<O> & { signal: AbortSignal },
  ): Promise<Response> =>
    this.#repeat(prepare(operation, args), args.signal, Number.POSITIVE_INFINITY, async (response) => {
      if (!response.ok) await readAnswer(operation, response)
      return response
    })

  /** As {@link call}, but null where the hub answers `not_found`. */
  find = <O extends Operation>(operation: O, ...given: Given<O>): Promise<Answer<O> | null> =>
    this.call(operation, ...given).catch((error) => {
      if (error instanceof NotFound) return null
      throw error
    })

  async #repeat<T>(
    call: PreparedCall,
    signal: AbortSignal,
    deadlineMs: number,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    let renewed = false
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await read(await this.#send(call, signal)).catch((error) => {
          if (error instanceof HubError) throw error
          throw new UnreachableError(`The answer to ${call.operation} broke off: ${reasonOf(error)}.`, {
            cause: error,
          })
        })
        this.retries.succeeded()
        return answer
      } catch (error) {
        signal.throwIfAborted()
        if (!renewed && (await this.#isRenewed(error, signal))) {
          renewed = true
          continue
        }
        // The try before, whose answer was lost, has deleted it.
        if (attempt > 1 && call.method === 'DELETE' && error instanceof NotFound) return undefined as T
        const waitMs = this.retries.next(error, attempt, call.repeatable)
        if (waitMs === null || Date.now() + waitMs >= deadlineMs) throw error
        await sleep(waitMs, signal)
      }
    }
  }

  async #isRenewed(error: unknown, signal: AbortSignal): Promise<boolean> {
    const renew = this.#credential?.renew
    if (renew === undefined || !(error instanceof Refusal) || !staleCodes.includes(error.code)) return false
    await renew(signal)
    return true
  }

  async #send(call: PreparedCall, signal: AbortSignal): Promise<Response> {
    const shared = this.#shared
    const { method, path, headers, body = null } = call
    const signed = await this.#credential?.headers(call, signal)
    const request = new Request(shared.url + path, {
      method,
      headers,
      body: body as NonNullable<RequestInit['body']> | null,
      signal,
    })
    for (const [name, value] of Object.entries(signed ?? {})) request.headers.set(name, value)
    if (shared.bookmark !== null && method === 'GET') request.headers.set(bookmarkName, shared.bookmark)
    const response = await shared.fetch(request).catch((error) => {
      if (error instanceof HubError) throw error
      throw new UnreachableError(`No hub answers on ${shared.url}: ${reasonOf(error)}.`, { cause: error })
    })
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
  if (isKeyed && !headers.has(keyName)) headers.set(keyName, idempotencyKey ?? crypto.randomUUID())
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
    if (values[name] === undefined) throw new HubError(`${template} needs the path parameter ${name}.`)
    return encodeURIComponent(String(values[name]))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? filled : `${filled}?${search}`
}

/**
 * Runs something that ends with a caller's signal, or after a time, whether or not it listens: a wallet does not.
 *
 * @throws {@link DeadlineError}, or the reason of the signal.
 */
export async function withDeadline<T>(
  what: string,
  timeout: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(timeout)
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  const ended = new Promise<never>((_, reject) => {
    either.addEventListener('abort', () => reject(either.reason), { once: true })
  })
  try {
    return await Promise.race([run(either), ended])
  } catch (error) {
    signal?.throwIfAborted()
    if (deadline.aborted)
      throw new DeadlineError(`${what} took longer than ${timeout / 1_000} s.`, { cause: error })
    throw error
  }
}

/** fetch says "fetch failed" and hides the reason. */
export function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const { code } = cause as { code?: unknown }
  if (String(code).startsWith('ERR_SSL')) return 'the server does not speak TLS, so its URL starts with http:'
  return cause.message || String(code ?? cause)
}
