import type { HubContext } from '../context.ts'
import { ApiError, errorBody, SettingsError } from '../errors.ts'
import { bookmarkHeader } from './bookmark.ts'
import { etagOf, matchesEtag } from './etag.ts'

/** The answer of a handler. It becomes one Response at the end, when all of its headers are known. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ReadableStream | null
  /** The handler makes it again from its `Location`, so it need not be kept under an `Idempotency-Key` if it is long. */
  canBeRemade?: true
  /** The socket of an answer with status 101. */
  webSocket?: WebSocket | null
}

/** How an answer may be cached when it is public; anything read with a credential is `private, no-store`. */
export interface CachePolicy {
  maxAgeSeconds: number
  immutable?: true
  /** For this long an isolate gives everyone the answer it made first. Only for calls without parameters. */
  keptSeconds?: number
  /** Browsers get a page at the same path. */
  varyByAccept?: true
}

const jsonType = 'application/json; charset=utf-8'
const utf8 = new TextEncoder()

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'Content-Type': jsonType, ...headers },
  body: JSON.stringify(value),
})

export const noContent = (): Answer => ({ status: 204, headers: {}, body: null })

/** The error envelope; anything that is not an ApiError is a fault of the hub and says nothing about itself. */
export function errorAnswer(c: HubContext, error: unknown): Answer {
  const known = error instanceof ApiError ? error : faultOf(error)
  const cause = error instanceof ApiError ? error.cause : error
  const { requestId } = c.var
  if (cause !== undefined) console.error(`${requestId} ${c.req.method} ${new URL(c.req.url).pathname}`, cause)
  return json(errorBody(known, requestId, originOf(c)), known.status, {
    'Cache-Control': 'no-store',
    ...(known.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...known.headers,
  })
}

/** Null if the settings cannot be read, which the answer is about then. */
function originOf({ var: variables }: HubContext): string | null {
  try {
    return variables.settings.BASE_URL.origin
  } catch {
    return null
  }
}

/** An operator has to act first. */
const settingsRetrySeconds = 60

function faultOf(error: unknown): ApiError {
  if (error instanceof SettingsError)
    return new ApiError(
      'unavailable',
      `The hub refuses all requests until its settings are correct. ${error.message}.`,
      { headers: { 'Retry-After': String(settingsRetrySeconds) } },
    )
  return new ApiError('internal', 'The request failed with an internal error. Please report the request id.')
}

/** Adds the caching headers. @param isPublic Whether others may be given the same answer. */
export function withCaching(answer: Answer, cache: CachePolicy | undefined, isPublic: boolean): Answer {
  const headers: Record<string, string> = {
    ...answer.headers,
    'Cache-Control': isPublic && cache !== undefined ? cacheControl(cache) : 'private, no-store',
  }
  // A shared cache must not answer a wallet with the kept answer to an anonymous call, nor answer a caller who has
  // written with the state before that. Immutable bytes are the same for everybody.
  if (cache !== undefined && !cache.immutable)
    headers.Vary = `${cache.varyByAccept ? 'Accept, ' : ''}Authorization, ${bookmarkHeader}`
  return { ...answer, headers }
}

const cacheControl = ({ maxAgeSeconds, immutable }: CachePolicy): string =>
  maxAgeSeconds === 0
    ? 'public, no-cache'
    : `public, max-age=${maxAgeSeconds}${immutable ? ', immutable' : ''}`

/** Names the representation by its bytes, unless the handler named it. */
export async function withEtag(answer: Answer): Promise<Answer> {
  if (answer.status !== 200 || answer.headers.ETag !== undefined) return answer
  const body = typeof answer.body === 'string' ? utf8.encode(answer.body) : answer.body
  const etag = await etagOf(body instanceof Uint8Array ? body : new Uint8Array())
  return { ...answer, headers: { ...answer.headers, ETag: etag }, body }
}

/** The 304 of an answer whose representation the client holds already. */
export function unlessHeld(c: HubContext, answer: Answer): Answer {
  const { status, headers, body } = answer
  const ifNoneMatch = c.req.header('if-none-match')
  if (ifNoneMatch === undefined || status !== 200 || headers.ETag === undefined) return answer
  if (!matchesEtag(ifNoneMatch, headers.ETag)) return answer
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
  const { 'Content-Type': _type, 'Content-Length': _length, ...others } = headers
  return { status: 304, headers: others, body: null }
}
