import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { HonoRequest } from 'hono/request'
import { describe, expect, test } from 'vitest'
import { type HubContext, HubVariables } from '../context.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { type Answer, errorAnswer, json } from '../http/answer.ts'
import { services } from '../services.ts'
import { bodyOf, errorOf, expectRefusal } from '../test/client.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { rowsOf } from '../test/tables.ts'
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
      read: () => Promise.reject(new Error('reads nothing else')),
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

  test('a long answer is not kept: a repeat has the same operation answer again', async () => {
    const operations: { id: string; isRetry: boolean }[] = []
    const answerOf = (length: number) =>
      callOf(async (c) => {
        operations.push(c.var.operation)
        return { ...json('x'.repeat(length), 201, { Location: '/made' }), canBeRemade: true as const }
      })
    const long = answerOf(16_383)
    const [first, again] = [await long('long'), await long('long')]
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(await again.text()).toBe(await first.text())
    expect(operations).toMatchObject([
      { isRetry: false },
      { id: operations[0]?.id, isRetry: true, location: '/made' },
    ])
    expect(await rowsOf("SELECT body FROM idempotency_keys WHERE key = 'long'")).toEqual([{ body: null }])
    const short = answerOf(16_382)
    expect([(await short('short')).status, (await short('short')).status, operations.length]).toEqual([
      201, 201, 3,
    ])
  })

  test('409 conflict: the same key with another body', async () => {
    const call = callOf(created([]))
    await call('other-body')
    await expectRefusal(call('other-body', 'two'), '409 conflict')
  })

  test('another wallet may use the same key', async () => {
    const call = callOf(created([]))
    await call('shared')
    expect(await bodyOf(call('shared', 'one', '0xb'))).toEqual({ run: 2 })
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

  test('a refusal is not stored: the next try runs and may have another body', async () => {
    let runs = 0
    const call = callOf(async (c) => {
      runs += 1
      if (runs < 3) throw new ApiError('already_exists', 'there it is')
      return json({ isRetry: c.var.operation.isRetry }, 201)
    })
    await expectRefusal(call('refused'), '409 already_exists')
    expect(await rowsOf('SELECT * FROM idempotency_keys WHERE key = ?', 'refused')).toEqual([])
    expect(await errorOf(call('refused', 'two'))).toMatchObject({ error: 'already_exists' })
    expect(await bodyOf(call('refused', 'three'))).toEqual({ isRetry: false })
  })

  test('409 conflict: an answer kept under another secret of the deployment', async () => {
    const call = callOf(created([]))
    await call('secret')
    const moved = { ...env, HUB_SECRET: 'another secret that only tests know, long enough' }
    await expectRefusal(call('secret', 'one', '0xa', moved), '409 conflict')
  })

  test('after a failure the next try continues the operation, with the same ids', async () => {
    const seen: unknown[] = []
    let error: Error | undefined = new ApiError('unavailable', 'away')
    const call = callOf(async (c) => {
      const { operation, services } = c.var
      seen.push([operation.isRetry, services.derived.alphanumerics(operation, 'id', 12)])
      if (error) throw error
      return json({}, 201)
    })
    expect((await call('failing')).status).toBe(503)
    await expectRefusal(call('failing', 'two'), '409 conflict')
    error = new Error('a defect')
    expect((await call('failing')).status).toBe(500)
    // A later try has to find the effects of the first one, also after a try that was refused.
    error = new ApiError('invalid_state', 'not now')
    expect((await call('failing')).status).toBe(409)
    error = undefined
    expect((await call('failing')).status).toBe(201)
    const [first, ...others] = seen as [boolean, string][]
    expect(first).toEqual([false, expect.stringMatching(/^[A-Za-z0-9]{12}$/)])
    expect(others).toEqual(Array.from({ length: 3 }, () => [true, first?.[1]]))
  })

  test('derived ids differ between operations and between purposes', async () => {
    const derived: string[] = []
    const call = callOf(async (c) => {
      for (const purpose of ['id', 'secret'])
        derived.push(c.var.services.derived.secret(c.var.operation, purpose))
      return json({}, 201)
    })
    await call('derived')
    await call('derived too')
    await call('derived', 'one', '0xb')
    expect(new Set(derived).size).toBe(derived.length)
  })

  test('the next try runs the operation again if its answer could not be stored', async () => {
    const runs: number[] = []
    const call = callOf(created(runs))
    const DB = failingDatabase((sql) => /update "idempotency_keys" set "status"/.test(sql))
    expect((await call('unkept', 'one', '0xa', { ...env, DB })).status).toBe(201)
    expect((await call('unkept')).status).toBe(201)
    expect(runs).toHaveLength(2)
  })

  test('the next try runs at once if the answer of the database to the first claim was lost', async () => {
    const runs: number[] = []
    const call = callOf(created(runs))
    const DB = failingDatabase((sql) => /insert into "idempotency_keys"/.test(sql), { carriedOut: true })
    expect((await call('unclaimed', 'one', '0xa', { ...env, DB })).status).toBe(503)
    expect((await call('unclaimed')).status).toBe(201)
    expect(runs).toHaveLength(1)
  })

  test('the next try takes over after a minute if the first one died, and the key is free after a day', async () => {
    const { idempotencyKeys } = services(env)
    const first = { caller: 'c', key: 'died', requestHash: 'h', requestId: 'first', operationId: 'one' }
    const second = { ...first, requestId: 'second', operationId: 'two' }
    expect(await idempotencyKeys.claim(first, 1000)).toEqual({ status: 'claimed', operationId: 'one' })
    expect(await idempotencyKeys.claim(second, 1059)).toEqual({ status: 'running' })
    expect(await idempotencyKeys.claim(second, 1060)).toEqual({ status: 'claimed', operationId: 'one' })
    // Late calls of the first try neither end nor answer the second.
    await idempotencyKeys.yield(first)
    await idempotencyKeys.forget(first)
    await idempotencyKeys.complete(first, { status: 200, headers: {}, body: '' })
    expect(await idempotencyKeys.claim(first, 1061)).toEqual({ status: 'running' })
    await idempotencyKeys.complete(second, { status: 201, headers: {}, body: '' })
    expect(await idempotencyKeys.claim(first, 1060 + 86_399)).toMatchObject({ status: 'answered' })
    const last = await idempotencyKeys.claim(second, 1060 + 86_400)
    expect(last).toEqual({ status: 'claimed', operationId: 'two' })
  })

  test.each(['', 'x'.repeat(256), 'with space', 'tab\there'])(
    '400 invalid_field: the key %j',
    async (key) => {
      const response = await callOf(created([]))(key)
      await expectRefusal(response, '400 invalid_field')
    },
  )
})
