import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  defaultNetworkParams,
  readRequestSignature,
  resolveProfile,
  verifyRequestSignature,
} from '../protocol/identity/index.ts'
import { createHub, TaskFailed } from './index.ts'
import { hubWithNodeKey } from './node.ts'
import { json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'
import { BadWebhook, verifyWebhook } from './webhooks.ts'

const profile = resolveProfile()

/** Time passes only while the hub answers: how fast this machine is changes nothing. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a task', () => {
  const task = (change: object) =>
    json(200, { task_id: 'task:1', status: 'finalized', success: true, output: 'x', ...change })

  test('is submitted and followed until it is final', async () => {
    await using server = await scriptedHub(task({ status: 'queued' }), task({ status: 'running' }), task({}))
    const done = await createHub({ url: server.url }).tasks.run('sample-echo', 'echo', { hello: 'world' })
    expect(done.output).toBe('x')
    expect(server.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/projects/sample-echo/tasks?wait=25',
      'GET /v1/tasks/task%3A1?wait=25',
      'GET /v1/tasks/task%3A1?wait=25',
    ])
    const { idempotency_key, ...sent } = JSON.parse(server.calls[0]!.body)
    expect(sent).toEqual({ function: 'echo', input: { hello: 'world' } })
    expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('that takes too long, or whose hub does not answer, has its id and key in the error', async () => {
    const away: Reply = (response) => response.destroy()
    await using server = await scriptedHub(task({ status: 'queued' }), away)
    const hub = createHub({ url: server.url, retry: { attempts: 1 } })
    const idempotencyKey = 'mine'
    const failures = [
      await hub.tasks.run('p', 'f', '', { idempotencyKey }).catch((error) => error),
      await hub.tasks.run('p', 'f', '', { idempotencyKey }).catch((error) => error),
    ]
    expect(failures.map((error) => [error.code, error.taskId, error.idempotencyKey])).toEqual([
      ['unreachable', 'task:1', 'mine'],
      ['unreachable', undefined, 'mine'],
    ])
    stopTime()
    await using slow = await scriptedHub(task({ status: 'queued' }), () => void vi.advanceTimersByTime(1_500))
    const late = createHub({ url: slow.url }).tasks.run('p', 'f', '', { timeout: 1_500 })
    expect(await late.catch((error) => error)).toMatchObject({ code: 'deadline', taskId: 'task:1' })
    expect(slow.calls.map(({ url }) => url)).toEqual([
      '/v1/projects/p/tasks?wait=0',
      '/v1/tasks/task%3A1?wait=1',
    ])
  })

  test('is asked about once a second while a hub with too many callers answers at once', async () => {
    await using server = await scriptedHub(task({ status: 'running' }))
    const late = createHub({ url: server.url }).tasks.wait('task:1', { timeout: 1_100 })
    expect(await late.catch((error) => error)).toMatchObject({ code: 'deadline', taskId: 'task:1' })
    expect(server.calls.length).toBeLessThanOrEqual(2)
  })

  test.each<[string, Reply]>([
    ['a proxy that has no hub behind it', (response) => response.writeHead(502).end('Bad Gateway')],
    ['a hub in trouble', refusal(503, 'unavailable')],
    ['a hub with too many callers', refusal(429, 'rate_limited')],
  ])('that goes on while its caller meets %s has its id in the error', async (_, reply) => {
    await using server = await scriptedHub(task({ status: 'queued' }), reply)
    const { tasks } = createHub({ url: server.url, retry: { attempts: 2, pause: 1 } })
    expect(await tasks.run('p', 'f').catch((thrown) => thrown)).toMatchObject({ taskId: 'task:1' })
    expect(await tasks.wait('task:2').catch((thrown) => thrown)).toMatchObject({ taskId: 'task:2' })
  })

  test('whose submission has no clear answer has its key in the error, and one that is refused has none', async () => {
    await using server = await scriptedHub(refusal(503, 'unavailable'), refusal(403, 'forbidden'))
    const { tasks } = createHub({ url: server.url, retry: { attempts: 1 } })
    const run = () => tasks.run('p', 'f', '', { idempotencyKey: 'mine' }).catch((thrown) => thrown)
    expect(await run()).toMatchObject({ code: 'unavailable', idempotencyKey: 'mine' })
    expect(await run()).not.toHaveProperty('idempotencyKey')
  })

  test.each<[string, Reply]>([
    ['too early', refusal(429, 'rate_limited', { 'Retry-After': '900' })],
    ['while the first try runs', refusal(409, 'conflict', { 'Retry-After': '0' })],
    ['by something that waits no longer', refusal(408, 'unavailable')],
  ])(
    'whose answer was lost, and whose next try is refused %s, has its key in the error',
    async (_, reply) => {
      await using server = await scriptedHub((response) => response.destroy(), reply)
      const hub = createHub({ url: server.url, retry: { attempts: 2, pause: 1 } })
      const idempotencyKey = 'mine'
      expect(await hub.tasks.run('p', 'f', '', { idempotencyKey }).catch((thrown) => thrown)).toMatchObject({
        idempotencyKey,
      })
      await using other = await scriptedHub((response) => response.destroy(), reply)
      const calling = createHub({ url: other.url, retry: { attempts: 2, pause: 1 } }).call(
        'POST /v1/faucet/drip',
        { idempotencyKey },
      )
      expect(await calling.catch((thrown) => thrown)).toMatchObject({ idempotencyKey })
    },
  )

  test('is polled only until the timeout, however often the hub answers', async () => {
    stopTime()
    await using server = await scriptedHub((response, call) => {
      vi.advanceTimersByTime(1_000)
      task({ status: 'running' })(response, call)
    })
    const { tasks } = createHub({ url: server.url })
    const late = { code: 'deadline', taskId: 'task:1' }
    expect(await tasks.run('p', 'f', '', { timeout: 3_000 }).catch((error) => error)).toMatchObject(late)
    expect(await tasks.wait('task:1', { timeout: 3_000 }).catch((error) => error)).toMatchObject(late)
    vi.useRealTimers()
    await using empty = await scriptedHub(refusal(404, 'not_found'))
    const receipt = createHub({ url: empty.url }).tasks.receipt({ receipt_hash: '0xab' }, { timeout: 300 })
    expect(await receipt.catch((error) => error)).toMatchObject({ code: 'deadline' })
  })

  test('without input is submitted with zero bytes of input', async () => {
    await using server = await scriptedHub(task({}))
    await createHub({ url: server.url }).tasks.run('p', 'f')
    expect(JSON.parse(server.calls[0]!.body)).toMatchObject({ input_b64: '' })
  })

  test('whose submission broke off is submitted again with the same key', async () => {
    await using server = await scriptedHub((response) => response.destroy(), task({}))
    await createHub({ url: server.url, retry: { pause: 1 } }).tasks.run('p', 'f', new Uint8Array([255]))
    const [first, second] = server.calls.map(({ body }) => JSON.parse(body))
    expect(second).toEqual(first)
    expect(first.input_b64).toBe('/w==')
  })

  test.each([
    [{ status: 'failed', success: null, error: 'no_quorum' }, 'The task failed: no_quorum.'],
    [{ success: false, output: null, error: null }, 'The function failed: it gave no reason.'],
  ])('that fails throws TaskFailed with the task and the reason: %j', async (change, message) => {
    await using server = await scriptedHub(task(change))
    const error = await createHub({ url: server.url })
      .tasks.run('p', 'f')
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TaskFailed)
    expect([error.message, error.task.task_id]).toEqual([message, 'task:1'])
  })
})

test('tasks.receipt waits for the receipt of a task', async () => {
  await using server = await scriptedHub(refusal(404, 'not_found'), json(200, { kind: 'execution' }))
  const { tasks } = createHub({ url: server.url })
  expect(await tasks.receipt({ receipt_hash: '0xab' })).toEqual({ kind: 'execution' })
  await expect(tasks.receipt({ receipt_hash: null })).rejects.toThrow('not final')
})

describe('a list', () => {
  const pages: Reply = (response, { url }) => {
    const cursor = new URL(url, 'http://hub.test').searchParams.get('cursor')
    const next: Record<string, string | null> = { '': 'a', a: 'b', b: null }
    json(200, { items: [`${cursor}1`, `${cursor}2`], next_cursor: next[cursor ?? ''] })(response, {} as never)
  }

  test('is read page by page, only as far as the caller reads', async () => {
    await using server = await scriptedHub(pages)
    const hub = createHub({ url: server.url })
    const rounds: unknown[] = []
    for await (const round of hub.rounds.list({ kind: 'task', limit: 2 })) rounds.push(round)
    expect(rounds).toEqual(['null1', 'null2', 'a1', 'a2', 'b1', 'b2'])
    expect(server.calls.map(({ url }) => url)).toEqual([
      '/v1/explorer/rounds?kind=task&limit=2',
      '/v1/explorer/rounds?kind=task&limit=2&cursor=a',
      '/v1/explorer/rounds?kind=task&limit=2&cursor=b',
    ])
    for await (const _ of hub.list('GET /v1/projects/{project_id}/rounds', { path: { project_id: 'a/b' } }))
      break
    expect(server.calls.slice(3).map(({ url }) => url)).toEqual(['/v1/projects/a%2Fb/rounds'])
  })
})

test('reads send the newest bookmark of the hub, and writes and first reads send none', async () => {
  const given = ['b', null, 'a', 'c']
  const reply: Reply = (response, call) => {
    const bookmark = given.shift()
    json(200, {}, bookmark ? { 'X-Bookmark': bookmark } : {})(response, call)
  }
  await using server = await scriptedHub(reply)
  const hub = createHub({ url: server.url })
  for (const operation of [
    'GET /v1/me',
    'GET /v1/me',
    'POST /v1/faucet/drip',
    'GET /v1/me',
    'GET /v1/me',
  ] as const)
    await hub.call(operation)
  expect(server.calls.map(({ headers }) => headers['x-bookmark'])).toEqual([
    undefined,
    'b',
    undefined,
    'b',
    'c',
  ])
})

describe('verifyWebhook', () => {
  const secret = `whsec_${btoa('a secret of the endpoint')}`
  const body = JSON.stringify({ type: 'round.finalized', data: { grüße: '…' } })
  const now = Math.floor(Date.now() / 1000)
  const headersOf = (at = now, of = secret) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1a,AAAA ${new Webhook(of).sign('msg_1', new Date(at * 1000), body)}`,
  })

  test('accepts messages that the Standard Webhooks library signs, in any form of request', async () => {
    const expected = { id: 'msg_1', timestamp: now, payload: JSON.parse(body) }
    const headers = headersOf()
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(expected)
    expect(
      await verifyWebhook(new Request('http://me.test', { method: 'POST', headers, body }), secret),
    ).toEqual(expected)
    expect(
      await verifyWebhook({ headers: new Headers(headers), body: new TextEncoder().encode(body) }, secret),
    ).toEqual(expected)
    expect(await verifyWebhook({ headers, body }, [`whsec_${btoa('the next')}`, secret])).toEqual(expected)
  })

  test.each<[string, object, string, string]>([
    ['another secret', headersOf(now, `whsec_${btoa('other')}`), body, 'No signature'],
    ['another body', headersOf(), `${body} `, 'No signature'],
    ['another id', { ...headersOf(), 'webhook-id': 'msg_2' }, body, 'No signature'],
    ['an old message', headersOf(now - 600), body, 'too far'],
    ['a message from the future', headersOf(now + 600), body, 'too far'],
    ['a time that is not a number', { ...headersOf(), 'webhook-timestamp': 'now' }, body, 'too far'],
    [
      'no signature',
      { ...headersOf(), 'webhook-signature': undefined },
      body,
      'webhook-signature is missing',
    ],
    ['a body that was parsed', headersOf(), { type: 'round.finalized' } as never, 'pass the raw body'],
    ['nonsense', { ...headersOf(), 'webhook-signature': 'v1,% v1' }, body, 'No signature'],
  ])('refuses %s', async (_, headers, received, message) => {
    const error = await verifyWebhook({ headers: headers as never, body: received }, secret).catch(
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(BadWebhook)
    expect(error.message).toContain(message)
  })

  test('refuses a missing secret', async () => {
    const missing = process.env.NO_SUCH_SECRET as string
    await expect(verifyWebhook({ headers: headersOf(), body }, missing)).rejects.toThrow(BadWebhook)
  })
})

test('a node signs path, query and body of every try again, with the time of the hub', async () => {
  const seed = `0x${'66'.repeat(32)}`
  const ahead = 86_400
  const seen: string[] = []
  const verifying: Reply = (response, call) => {
    const { url, method, headers, body } = call
    if (url === '/') return json(200, { chain: { id: profile.chain_id, contracts: {} } })(response, call)
    const time = Math.floor(Date.now() / 1000) + ahead
    if (url === '/v1/status') return json(200, { time })(response, call)
    const read = (name: string) => headers[name.toLowerCase()] as string
    const signature = readRequestSignature(profile, read, time, defaultNetworkParams.max_skew)
    const verifies =
      signature !== null && verifyRequestSignature(profile, { method, target: url, body }, signature)
    seen.push(`${verifies} ${url}`)
    if (seen.length === 1) return refusal(429, 'rate_limited', { 'Retry-After': '0' })(response, call)
    return json(200, { nonce: signature?.nonce })(response, call)
  }
  await using server = await scriptedHub(verifying)
  const hub = hubWithNodeKey({ url: server.url, key: seed })
  await hub.call('POST /v1/nodes/heartbeat', { body: {} as never })
  await hub.call('GET /v1/explorer/rounds', { query: { kind: 'task', limit: 3 } })
  expect(seen).toEqual([
    'true /v1/nodes/heartbeat',
    'true /v1/nodes/heartbeat',
    'true /v1/explorer/rounds?kind=task&limit=3',
  ])
})
