import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import type { HubBindings, HubContext } from '../context.ts'
import { readSettings } from '../env.ts'
import { errorResponse } from '../http/answer.ts'
import { jsonBytesMax, readBody } from '../http/body.ts'
import { services } from '../services.ts'

/** Answers as a route would whose handler is `handle` and whose body is read by it; text is sent as it is. */
export async function answer(
  handle: (c: HubContext) => Promise<Response>,
  body?: unknown,
): Promise<Response> {
  const app = new Hono<HubBindings>()
  app.use(async (c, next) => {
    c.set('settings', readSettings(c.env))
    c.set('services', services(c.env))
    await readBody(c, jsonBytesMax)
    await next()
  })
  app.post('/', handle)
  app.onError((error, c) => errorResponse(c, error))
  const ctx = createExecutionContext()
  const request = new Request('http://hub/', {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  })
  const response = await app.fetch(request, env, ctx)
  await waitOnExecutionContext(ctx)
  return response
}
