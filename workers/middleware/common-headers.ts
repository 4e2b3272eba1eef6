import type { HubContext } from '../context.ts'
import type { Answer } from '../http/answer.ts'
import { bookmarkHeader } from '../http/bookmark.ts'
import { bookmarkOf } from './consistency.ts'

const exposedHeaders =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag, Link, Location, X-Request-Id, X-Manifest-Address, Content-Range, Accept-Ranges, Idempotency-Replayed, X-Bookmark'

/** Makes the one Response, with what each carries: request id, rate limit, leave for pages of any origin, and the caller's bookmark. */
export function respond(c: HubContext, { status, headers, body, webSocket = null }: Answer): Response {
  const { requestId, rateLimit, nextPage } = c.var
  const all: Record<string, string> = {
    ...headers,
    'X-Request-Id': requestId,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    'X-Content-Type-Options': 'nosniff',
  }
  if (nextPage !== null && status < 400) all.Link = `<${pathOf(c, nextPage)}>; rel="next"`
  if (rateLimit) {
    all['RateLimit-Limit'] = String(rateLimit.limit)
    all['RateLimit-Remaining'] = String(rateLimit.remaining)
    all['RateLimit-Reset'] = String(rateLimit.resetSeconds)
  }
  const bookmark = bookmarkOf(c)
  if (bookmark !== undefined) all[bookmarkHeader] = bookmark
  return new Response(body as BodyInit | null, { status, headers: all, webSocket })
}

/** The same question with other parameters, as a reference to be read against the URL that was asked. */
function pathOf({ req }: HubContext, changed: Record<string, string>): string {
  const { pathname, searchParams } = new URL(req.url)
  for (const [name, value] of Object.entries(changed)) searchParams.set(name, value)
  return `${pathname}?${searchParams}`
}

/** Answers a browser's preflight. No credentials: tokens travel in the Authorization header, never in cookies. */
export function preflight(c: HubContext, methods: readonly string[]): Answer {
  const prefix = c.var.settings.PROFILE.header_prefix
  const names = [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-None-Match',
    'If-Match',
    'If-Range',
    'Last-Event-ID',
    'Range',
    bookmarkHeader,
  ]
  const signed = ['Node', 'Public-Key', 'Timestamp', 'Nonce', 'Signature'].map((name) => prefix + name)
  return {
    status: 204,
    headers: {
      Allow: methods.join(', '),
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': [...names, ...signed].join(', '),
      'Access-Control-Max-Age': '86400',
    },
    body: null,
  }
}
