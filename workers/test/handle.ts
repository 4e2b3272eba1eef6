import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { HonoRequest } from 'hono/request'
import * as z from 'zod'
import { defineGaslessRoute, type GaslessAction } from '../actions/gasless-route.ts'
import type { GaslessSteps } from '../actions/gasless-steps.ts'
import { type HubContext, HubVariables } from '../context.ts'
import type { Env } from '../env.ts'
import { type Answer, errorAnswer } from '../http/answer.ts'
import { jsonBytesMax, readBody } from '../http/body.ts'
import { respond } from '../middleware/common-headers.ts'

/** Answers as a gasless route of these steps would that finds this action, for any caller. @param address - Of a test that reaches a limit. */
export function answerGasless<R>(
  steps: GaslessSteps<R>,
  action: GaslessAction<R>,
  body?: unknown,
  bindings: Env = env,
  address?: string,
): Promise<Response> {
  const declaration = {
    path: '/',
    operationId: 'act',
    tag: '',
    summary: '',
    description: '',
    params: z.object({}),
    steps,
  }
  const { handle } = defineGaslessRoute(declaration, async () => action)
  const input = (c: HubContext) => ({
    params: {},
    query: {},
    json: steps.json.parse(c, c.var.body ?? new Uint8Array()),
    raw: undefined,
  })
  return answer(async (c) => handle(c, input(c) as never), body, bindings, address)
}

/** Answers as a route would whose handler is `handle` and whose body is read by it; text is sent as it is. */
export async function answer(
  handle: (c: HubContext) => Promise<Answer>,
  body?: unknown,
  bindings: Env = env,
  address?: string,
): Promise<Response> {
  const ctx = createExecutionContext()
  const request = new Request('http://hub/', {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  })
  if (address !== undefined) request.headers.set('CF-Connecting-IP', address)
  const c: HubContext = {
    req: new HonoRequest(request),
    env: bindings,
    executionCtx: ctx,
    var: new HubVariables(bindings, () => 'first-primary'),
    read: () => Promise.reject(new Error('reads nothing else')),
  }
  const read = async () => {
    await readBody(c, jsonBytesMax)
    return handle(c)
  }
  const response = respond(c, await read().catch((error) => errorAnswer(c, error)))
  await waitOnExecutionContext(ctx)
  return response
}
