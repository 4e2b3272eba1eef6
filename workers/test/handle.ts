import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { HonoRequest } from 'hono/request'
import { type HubContext, HubVariables } from '../context.ts'
import { type Answer, errorAnswer } from '../http/answer.ts'
import { jsonBytesMax, readBody } from '../http/body.ts'
import { respond } from '../middleware/common-headers.ts'

/** Answers as a route would whose handler is `handle` and whose body is read by it; text is sent as it is. */
export async function answer(handle: (c: HubContext) => Promise<Answer>, body?: unknown): Promise<Response> {
  const ctx = createExecutionContext()
  const request = new Request('http://hub/', {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  })
  const c: HubContext = {
    req: new HonoRequest(request),
    env,
    executionCtx: ctx,
    var: new HubVariables(env, 'first-primary'),
  }
  const read = async () => {
    await readBody(c, jsonBytesMax)
    return handle(c)
  }
  const response = respond(c, await read().catch((error) => errorAnswer(c, error)))
  await waitOnExecutionContext(ctx)
  return response
}
