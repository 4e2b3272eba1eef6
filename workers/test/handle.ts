import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import * as z from 'zod'
import type { HubBindings, HubContext } from '../context.ts'
import { readSettings } from '../env.ts'
import { errorResponse } from '../http/answer.ts'
import { jsonBytesMax, readBody } from '../http/body.ts'
import { defineGaslessRoute, type GaslessAction } from '../relay/gasless-route.ts'
import type { GaslessSteps } from '../relay/gasless-steps.ts'
import { services } from '../services.ts'

/** Answers as a gasless route of these steps would that finds this action, whoever calls. */
export function answerGasless<R>(
  steps: GaslessSteps<R>,
  action: GaslessAction<R>,
  body?: unknown,
): Promise<Response> {
  const declaration = { path: '/', operationId: 'act', tag: '', summary: '', params: z.object({}), steps }
  const { handle } = defineGaslessRoute(declaration, async () => action)
  const input = (c: HubContext) => ({
    params: {},
    query: undefined,
    json: steps.json.parse(c, c.var.body ?? new Uint8Array()),
    raw: undefined,
  })
  return answer(async (c) => handle(c, input(c) as never), body)
}

/** Answers as a route would whose handler is `handle`; text is sent as it is. */
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
