import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { HonoRequest } from 'hono/request'
import { describe, expect, test } from 'vitest'
import { type HubContext, HubVariables } from '../context.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { type Answer, errorAnswer, json } from '../http/answer.ts'
import { services } from '../services.ts'
import { errorOf } from '../test/client.ts'
import { respond } from './common-headers.ts'
import { runOnce } from './idempotency.ts'

/** A call whose handler the test controls, through the real middleware and the real table. */
function callOf(handle: (c: HubContext) => Promise<Answer>) {
  return async (key: string, body = 'one', wallet = '0xa', bindings: Env = env) => {
    const request = new Request('http://hub/thing', {
      method: 'POST',
      body,
      headers: { 'Idempotency-Key': key },
    })
    const c: HubContext = {
      req: new HonoRequest(request, '/thing'),
      env: bindings,
      executionCtx: createExecutionContext(),
      var: new HubVariables(bindings, () => 'first-primary'),
    }
    c.var.principal = { kind: 'session', address: wallet, tokenHash: '', expiresAt: 0 }
    c.var.body = new Uint8Array(await request.arrayBuffer())
    const answer = runOnce(c, () => handle(c)).catch((error) => errorAnswer(c, error))
    return respond(c, await answer)
  }
}

const created = (runs: number[]) => async () => {
  runs.push(1)
  return json({ run: runs.length }, 201, { Location: `/thing/${runs.length}` })
}

describe('Idempotency-Key', () => {
  test('a repeat gets the first answer, marked as replayed, and runs nothing', async () => {
    const runs: number[] = []
    const call = callOf(created(runs))
    const [first, again] = [await call('repeat'), await call('repeat')]
    expect([first.status, await first.json(), first.headers.get('idempotency-replayed')]).toEqual([
      201,
      { run: 1 },
      null,
    ])
    expect([again.status, await again.json(), again.headers.get('idempotency-replayed')]).toEqual([
      201,
      { run: 1 },
      'true',
    ])
    expect(again.headers.get('location')).toBe('/thing/1')
  })

  test('409 conflict: the same key with another body', async () => {
    const call = callOf(created([]))
    await call('other-body')
    expect(await errorOf(await call('other-body', 'two'))).toMatchObject({ status: 409, error: 'conflict' })
  })

  test('another wallet may use the same key', async () => {
    const call = callOf(created([]))
    await call('shared')
    expect(await (await call('shared', 'one', '0xb')).json()).toEqual({ run: 2 })
  })

  test('of 20 racing requests exactly one runs; the others get its answer or 409 with Retry-After', async () => {
    const runs: number[] = []
    const call = callOf(created(runs))
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('race')))
    expect(runs).toHaveLength(1)
    for (const answer of answers) {
      expect([201, 409]).toContain(answer.status)
      if (answer.status === 409) expect(answer.headers.get('retry-after')).toBe('1')
    }
  })

  test('a refusal is a first answer too, and names the request that reads it', async () => {
    let runs = 0
    const call = callOf(async () => {
      runs += 1
      throw new ApiError('already_exists', 'there it is', { details: { id: 'x' } })
    })
    const [first, again] = [await errorOf(await call('refused')), await errorOf(await call('refused'))]
    expect(runs).toBe(1)
    expect(again).toMatchObject({ status: 409, error: 'already_exists', details: { id: 'x' } })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(first.request_id).not.toBe(again.request_id)
  })

  test('409 conflict: an answer kept under another secret of the deployment', async () => {
    const call = callOf(created([]))
    await call('secret')
    const moved = { ...env, HUB_SECRET: 'another secret that only tests know, long enough' }
    expect(await errorOf(await call('secret', 'one', '0xa', moved))).toMatchObject({
      status: 409,
      error: 'conflict',
    })
  })

  test('a failure that may pass is not kept: the next try runs', async () => {
    let fails = true
    const call = callOf(async () => {
      if (fails) throw new ApiError('unavailable', 'away')
      return json({}, 201)
    })
    expect((await call('failing')).status).toBe(503)
    fails = false
    expect((await call('failing')).status).toBe(201)
  })

  test('a key whose first request died is free again after a minute, and any key after a day', async () => {
    const { idempotencyKeys } = services(env)
    const request = { caller: 'c', key: 'died', requestHash: 'h' }
    expect(await idempotencyKeys.claim(request, 1000)).toEqual({ status: 'claimed' })
    expect(await idempotencyKeys.claim(request, 1059)).toEqual({ status: 'running' })
    expect(await idempotencyKeys.claim(request, 1060)).toEqual({ status: 'claimed' })
    await idempotencyKeys.complete(request, { status: 201, headers: {}, body: '' })
    expect(await idempotencyKeys.claim(request, 1060 + 86_399)).toMatchObject({ status: 'answered' })
    expect(await idempotencyKeys.claim(request, 1060 + 86_400)).toEqual({ status: 'claimed' })
  })

  test.each(['', 'x'.repeat(256), 'with space', 'tab\there'])(
    '400 invalid_field: the key %j',
    async (key) => {
      const response = await callOf(created([]))(key)
      expect(await errorOf(response)).toMatchObject({ status: 400, error: 'invalid_field' })
    },
  )
})
