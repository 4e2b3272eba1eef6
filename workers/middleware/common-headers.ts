import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HubBindings, HubContext } from '../context.ts'

const exposedHeaders =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag, Location, X-Request-Id, X-Manifest-Address, Content-Range, Accept-Ranges, Idempotency-Replayed'

/** What every response carries, whatever answered it: request id, rate limit, and leave for pages of any origin. */
export const commonHeaders: MiddlewareHandler<HubBindings> = createMiddleware<HubBindings>(
  async (c, next) => {
    await next()
    const headers = new Headers(c.res.headers)
    headers.set('X-Request-Id', c.var.requestId)
    headers.set('Access-Control-Allow-Origin', '*')
    headers.set('Access-Control-Expose-Headers', exposedHeaders)
    headers.set('X-Content-Type-Options', 'nosniff')
    const report = c.var.rateLimit
    if (report) {
      headers.set('RateLimit-Limit', String(report.limit))
      headers.set('RateLimit-Remaining', String(report.remaining))
      headers.set('RateLimit-Reset', String(report.resetSeconds))
    }
    const { body, status } = c.res
    c.res = undefined
    c.res = new Response(body, { status, headers })
  },
)

/** Answers a browser's preflight. No credentials: tokens travel in the Authorization header, never in cookies. */
export function preflight(c: HubContext, methods: readonly string[]): Response {
  const prefix = c.var.settings.PROFILE.header_prefix
  const names = [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-None-Match',
    'If-Match',
    'If-Range',
    'Range',
  ]
  const signed = ['Node', 'Public-Key', 'Timestamp', 'Nonce', 'Signature'].map((name) => prefix + name)
  return new Response(null, {
    status: 204,
    headers: {
      Allow: methods.join(', '),
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': [...names, ...signed].join(', '),
      'Access-Control-Max-Age': '86400',
    },
  })
}
