import type { HubContext } from '../context.ts'
import { ApiError, errorBody } from '../errors.ts'
import type { RouteDeclaration } from '../route.ts'
import { etagOf, matchesEtag } from './etag.ts'

const jsonType = 'application/json; charset=utf-8'

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': jsonType, ...headers } })

/** The error envelope; anything that is not an ApiError is a fault of the hub and says nothing about itself. */
export function errorResponse(c: HubContext, error: unknown): Response {
  const known =
    error instanceof ApiError
      ? error
      : new ApiError('internal', 'The hub failed to answer this. Please report the request id.')
  const cause = error instanceof ApiError ? error.cause : error
  if (cause !== undefined) console.error(`${c.var.requestId} ${c.req.method} ${c.req.path}`, cause)
  return json(errorBody(known, c.var.requestId), known.status, {
    'Cache-Control': 'no-store',
    ...(known.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...known.headers,
  })
}

/** Adds caching headers, and answers 304 where the client holds this representation already. */
export async function finishCaching(
  c: HubContext,
  { cache, method }: RouteDeclaration,
  response: Response,
): Promise<Response> {
  const isPublic = c.var.principal === null && cache !== undefined
  const headers = new Headers(response.headers)
  headers.set('Cache-Control', isPublic ? cacheControl(cache) : 'private, no-store')
  // A shared cache must not answer a wallet with what it kept of an anonymous call. Immutable bytes are everyone's.
  if (cache !== undefined && !cache.immutable) headers.append('Vary', 'Authorization')
  if (method !== 'get' || response.status !== 200 || cache === undefined)
    return new Response(response.body, { status: response.status, headers })

  const bytes = headers.has('ETag') ? null : new Uint8Array(await response.arrayBuffer())
  const etag = headers.get('ETag') ?? (await etagOf(bytes ?? new Uint8Array()))
  headers.set('ETag', etag)
  if (matchesEtag(c.req.header('if-none-match'), etag)) {
    await response.body?.cancel().catch(() => {})
    headers.delete('Content-Type')
    headers.delete('Content-Length')
    return new Response(null, { status: 304, headers })
  }
  return new Response(bytes ?? response.body, { status: 200, headers })
}

const cacheControl = ({ maxAgeSeconds, immutable }: NonNullable<RouteDeclaration['cache']>): string =>
  maxAgeSeconds === 0
    ? 'public, no-cache'
    : `public, max-age=${maxAgeSeconds}${immutable ? ', immutable' : ''}`
