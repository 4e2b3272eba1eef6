import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { attemptsMax, daySecs, probeSecs } from '../../durable-objects/webhooks/rules.ts'
import type { ReceivedCall } from '../../testing/webhook-receiver.ts'
import { lostSecs } from '../stores/webhook-deliveries.ts'
import { bodyOf, itemsOf } from '../test/client.ts'
import { consume, consumeIn } from '../test/queue.ts'
import { rowOf, rowsOf, runSql, scalarOf } from '../test/tables.ts'
import {
  createOwner,
  createReceiver,
  createWebhook,
  type Delivery,
  deliveriesOf,
  haveTheHub,
  look,
  numbersOf,
  pass,
  runPython,
  settle,
  setUp,
  tell,
  until,
  verify,
} from '../test/webhooks.ts'
import { call } from './call.ts'
import { createReader } from './reader.ts'

haveTheHub()

describe('a delivery', () => {
  test('is an event of the feed, signed as Standard Webhooks has it', async () => {
    const { receiver, by, secret, list } = await setUp()
    await tell(1)
    await settle()
    const [received, ...others] = await receiver.calls()
    expect(others).toEqual([])
    const [delivery] = await list()
    expect(delivery).toMatchObject({
      ...{ state: 'delivered', attempts_made: 1, next_attempt_at: null },
      attempts: [{ status: 200, answer: '200', error: null }],
    })
    const { headers = {}, body = '' } = received ?? {}
    expect([headers['webhook-id'], headers['content-type']]).toEqual([
      delivery?.delivery_id,
      'application/json',
    ])
    const [event] = await itemsOf(by.get('/v1/events?type=project.listed&limit=1'))
    expect(await verify(secret, { headers, body })).toEqual(event)
    expect(await verify(secret, { headers, body: `${body} ` })).toBeNull()
    const python = (given: string) => runPython({ ...{ secret: given, headers, body }, now: unixNow() })
    const { status, output } = await python(secret)
    // Null is a machine without Python.
    if (status !== null) {
      expect([status, JSON.parse(output)]).toEqual([0, event])
      expect((await python(`whsec_${btoa('x'.repeat(32))}`)).status).toBe(1)
    }
  })

  test('contains only events that the webhook selects: those of the network, and those about its wallet', async () => {
    const types = ['project.listed', 'device.bound', 'project.paused']
    const { owner, receiver, by } = await setUp({ types })
    const filtered = createReceiver()
    await createWebhook(by, filtered.url, { types, project_ids: [`0x${'2'.repeat(64)}`] })
    const stranger = createOwner()
    await tell(1, { type: 'device.bound', address: stranger.address })
    await tell(1, { type: 'device.bound', address: owner.address })
    await tell(1, { type: 'project.delisted' })
    await tell(1, { type: 'project.paused', address: stranger.address })
    await settle()
    const typesOf = async ({ calls }: typeof receiver) =>
      (await calls()).map(({ body }) => JSON.parse(body).type)
    expect((await typesOf(receiver)).sort()).toEqual(['device.bound', 'project.paused'])
    expect(await typesOf(filtered)).toEqual([])
  })

  test('is created for events that are logged while the webhook is active, and for none before', async () => {
    await tell(1)
    const { receiver, by, id, list } = await setUp()
    await tell(1)
    await settle()
    const patch = (state: string) => by.fetch(`/v1/me/webhooks/${id}`, { method: 'PATCH', json: { state } })
    await patch('disabled')
    await tell(2)
    await settle()
    await patch('active')
    await tell(3)
    await settle()
    expect(await numbersOf(receiver)).toEqual([1, 1, 2, 3])
    expect((await list()).map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
      'delivered',
      'delivered',
    ])
  })

  test('is deleted with its webhook', async () => {
    const { receiver, by, id } = await setUp()
    await receiver.answers({ status: 500 })
    await tell(1)
    await settle()
    expect((await by.delete(`/v1/me/webhooks/${id}`)).status).toBe(204)
    expect(await rowsOf('SELECT 1 FROM webhook_deliveries WHERE webhook_id = ?', id)).toEqual([])
    const before = await receiver.calls()
    const message = { v: 1, webhookId: id, number: 1, attemptsMade: before.length }
    expect(await consume('webhook-deliveries', message)).toEqual({ acked: ['m0'], retried: [] })
    expect(await receiver.calls()).toEqual(before)
  })
})

describe('an answer', () => {
  test.each([
    [{ status: 500 }, { status: 500, answer: '500', error: 'the status is not 2xx' }],
    [
      { status: 500, bytes: 5_000_000 },
      { status: 500, answer: 'x'.repeat(1024) },
    ],
    // JSON has six bytes for the one, and two for the other.
    [
      { status: 500, bytes: 2_000, fill: '\0' },
      { status: 500, answer: ' '.repeat(1024) },
    ],
    [
      { status: 500, bytes: 2_000, fill: '"' },
      { status: 500, answer: '"'.repeat(512) },
    ],
    [
      { status: 302, location: 'http://127.0.0.1:1/private' },
      { status: 302, error: 'redirects are not followed' },
    ],
  ])('%o is a failure', async (manner, attempt) => {
    const { receiver, list } = await setUp()
    await receiver.answers(manner)
    await tell(1)
    await settle()
    const [delivery] = await list()
    expect(delivery).toMatchObject({ state: 'pending', next_attempt_at: expect.any(Number) })
    expect(delivery?.attempts[0]).toMatchObject(attempt)
  })

  test('that redirects is not followed', async () => {
    const { receiver } = await setUp()
    const target = createReceiver()
    await receiver.answers({ status: 307, location: target.url })
    await tell(1)
    await settle()
    expect([(await receiver.calls()).length > 0, await target.calls()]).toEqual([true, []])
  })

  test('that never arrives, and a receiver that cannot be reached, end the attempt', async () => {
    const receiver = createReceiver()
    await receiver.answers({ hangs: true })
    const post = { body: '{}', headers: {} }
    expect(await call(receiver.url, post, 200)).toMatchObject({
      status: null,
      error: 'no answer within 0.2 s',
    })
    expect(await call('http://127.0.0.1:1/', post)).toMatchObject({
      ...{ status: null, answer: null },
      error: expect.stringMatching(/^no connection: /),
    })
  })
})

test('a receiver that was down for a day gets the pending deliveries when it returns, and the rest by hand', async () => {
  const { owner, receiver, id } = await setUp()
  const list = async () => deliveriesOf(await owner.client(), id)
  await receiver.answers({ status: 503 })
  await tell(1)
  await settle()
  let [lost] = await list()
  for (; lost?.state === 'pending'; [lost] = await list()) await until(lost)
  expect(lost).toMatchObject({ state: 'failed', attempts_made: attemptsMax, next_attempt_at: null })
  const times = lost?.attempts.map(({ at }) => at) ?? []
  const hours = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 3600
  // Each came as late as a lost message does, at most.
  expect([hours > 23, hours < 24 + (attemptsMax * lostSecs) / 3600]).toEqual([true, true])
  await tell(30)
  await settle()
  // A failing receiver gets few deliveries: the rest waits in the log.
  expect((await list()).filter(({ state }) => state === 'pending').length).toBe(10)

  await receiver.answers({})
  const waiting = (await list()).find(({ state }) => state === 'pending')
  await until(waiting as Delivery)
  for (let turns = 0; turns < 3; turns++) {
    pass(10)
    await settle()
  }
  expect((await list()).filter(({ state }) => state === 'delivered').length).toBe(30)
  const by = await owner.client()
  const again = `/v1/me/webhooks/${id}/deliveries/${lost?.delivery_id}/redeliver`
  expect((await by.post(again)).status).toBe(202)
  await settle()
  expect((await list()).at(-1)).toMatchObject({ state: 'delivered', attempts_made: attemptsMax + 1 })
  const calls = (await receiver.calls()).filter(({ headers }) => headers['webhook-id'] === lost?.delivery_id)
  expect([calls.length, new Set(calls.map(({ body }) => body)).size]).toEqual([attemptsMax + 1, 1])
})

test('a webhook that fails for three days is disabled, its owner is told, and unsent deliveries are shown', async () => {
  const { owner, receiver, id } = await setUp()
  await receiver.answers({ status: 500 })
  await tell(40)
  await settle()
  pass(3 * daySecs)
  const state = () => scalarOf<string>('SELECT state FROM webhooks WHERE webhook_id = ?', id)
  await settle()
  // Not before a delivery has used all of its attempts.
  expect(await state()).toBe('active')
  await runSql(
    'UPDATE webhook_deliveries SET attempts_made = ?, attempts_left = 1, due_at = ? WHERE webhook_id = ?',
    ...[attemptsMax - 1, unixNow() - lostSecs, id],
  )
  await settle()
  const by = await owner.client()
  expect(await bodyOf(by.get(`/v1/me/webhooks/${id}`))).toMatchObject({
    ...{ state: 'disabled', disabled_because: 'failing' },
    failing_since: expect.any(Number),
  })
  expect(await itemsOf(by.get('/v1/me/notifications'))).toMatchObject([
    { type: 'webhook.disabled', severity: 'warning', data: { webhook_id: id, url: receiver.url } },
  ])
  const deliveries = await deliveriesOf(by, id)
  expect(deliveries[0]).toMatchObject({ state: 'gap', event: { data: { reason: 'disabled' } } })
  expect(new Set(deliveries.slice(1).map(({ state }) => state))).toEqual(new Set(['failed']))
  await receiver.answers({})
  const before = (await receiver.calls()).length
  expect((await by.post(`/v1/me/webhooks/${id}/test`)).status).toBe(202)
  await settle()
  expect((await receiver.calls()).length).toBe(before + 1)
  const body = { state: 'active' }
  expect(await bodyOf(by.fetch(`/v1/me/webhooks/${id}`, { method: 'PATCH', json: body }))).toMatchObject({
    state: 'active',
    disabled_because: null,
    failing_since: null,
  })
})

test('a receiver that works again is detected within twenty minutes, by attempts that do not count', async () => {
  const { receiver, id, list } = await setUp()
  await receiver.answers({ status: 500 })
  await tell(3)
  await settle()
  await runSql(
    'UPDATE webhook_deliveries SET attempts_made = 4, attempts_left = 4, due_at = ? + number WHERE webhook_id = ?',
    ...[unixNow() + 4 * 3600, id],
  )
  const before = await rowsOf('SELECT * FROM webhook_deliveries WHERE webhook_id = ?', id)
  const { length } = await receiver.calls()
  const probe = async (count: number) => {
    pass(probeSecs)
    for (let looks = 0; looks < 2; looks++) await look()
    await expect.poll(async () => (await receiver.calls()).length).toBe(count)
  }
  await probe(length + 1)
  await settle()
  expect(await rowsOf('SELECT * FROM webhook_deliveries WHERE webhook_id = ?', id)).toEqual(before)
  await receiver.answers({})
  await probe(length + 2)
  await expect.poll(async () => (await list())[2]?.state).toBe('delivered')
  await settle()
  expect((await list()).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(await scalarOf('SELECT probe_at FROM webhooks WHERE webhook_id = ?', id)).toBeNull()
})

test('a failed delivery that was started by hand does not disable the webhook', async () => {
  const { receiver, by, id, list } = await setUp()
  const failingSince = () => scalarOf('SELECT failing_since FROM webhooks WHERE webhook_id = ?', id)
  await receiver.answers({ status: 500 })
  const { delivery_id: delivery } = await bodyOf(by.post(`/v1/me/webhooks/${id}/test`))
  await settle()
  expect((await list())[0]).toMatchObject({ state: 'failed', attempts_made: 1 })
  await by.post(`/v1/me/webhooks/${id}/deliveries/${delivery}/redeliver`)
  await settle()
  expect([(await list())[0]?.attempts_made, await failingSince()]).toEqual([2, null])
})

test('a delivery that is sent once more by hand does not count either, however many attempts it had', async () => {
  const { receiver, by, id, list } = await setUp()
  await tell(1)
  await settle()
  await runSql('UPDATE webhook_deliveries SET attempts_made = 7 WHERE webhook_id = ?', id)
  await receiver.answers({ status: 500 })
  const [delivery] = await list()
  await by.post(`/v1/me/webhooks/${id}/deliveries/${delivery?.delivery_id}/redeliver`)
  await settle()
  expect((await list())[0]).toMatchObject({ state: 'failed', attempts_made: 8 })
  expect(await rowOf('SELECT failing_since, probe_at FROM webhooks WHERE webhook_id = ?', id)).toEqual({
    failing_since: null,
    probe_at: null,
  })
})

describe('faults', () => {
  test('a lost message is sent again, and a repeated message has no effect', async () => {
    const { receiver, list, id } = await setUp()
    await tell(1)
    const away = { sendBatch: () => Promise.reject(new Error('the queue is away')) }
    await createReader({ ...env, WEBHOOK_DELIVERIES: away as never }).step()
    expect(await receiver.calls()).toEqual([])
    pass(lostSecs)
    await settle()
    expect((await list()).map(({ state }) => state)).toEqual(['delivered'])
    const message = { v: 1, webhookId: id, number: 1, attemptsMade: 0 }
    expect(await consume('webhook-deliveries', message, message)).toMatchObject({ acked: ['m0', 'm1'] })
    expect(await receiver.calls()).toHaveLength(1)
  })

  test('two parallel readers create each delivery once', async () => {
    const { receiver } = await setUp()
    const readers = [createReader(env), createReader(env)]
    for (let told = 0; told < 3; told++) {
      await tell(5)
      await Promise.all(readers.map((reader) => reader.step()))
    }
    await settle()
    pass(2)
    await settle()
    const ids = (await receiver.calls()).map(({ body }) => JSON.parse(body).id)
    expect([ids.length, new Set(ids).size]).toEqual([15, 15])
  })

  test('if the database cannot be reached, the message is retried', async () => {
    const { id } = await setUp()
    const DB = {
      ...env.DB,
      prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error('away')) }) }),
    }
    const message = { v: 1, webhookId: id, number: 1, attemptsMade: 0 }
    const bindings = { ...env, DB: DB as never }
    expect(await consumeIn(bindings, 'webhook-deliveries', [message])).toEqual({ acked: [], retried: ['m0'] })
  })

  test.each([[null], [{}], [{ v: 2, webhookId: 'x', number: 1, attemptsMade: 0 }]])(
    'passes unreadable messages to the dead letters: %j',
    async (body) => {
      expect(await consume('webhook-deliveries', body)).toEqual({ acked: [], retried: ['m0'] })
    },
  )

  test('a hub that is no longer local, or has another secret, reports this and calls no receiver', async () => {
    const { receiver, list, id } = await setUp()
    const noQueue = { WEBHOOK_DELIVERIES: { send: async () => {}, sendBatch: async () => {} } as never }
    await tell(1)
    await createReader({ ...env, ...noQueue }).step()
    const message = (attemptsMade: number) => ({ v: 1, webhookId: id, number: 1, attemptsMade })
    const isPublic = { ...env, LOCAL_NETWORK: 'false', BASE_URL: 'https://hub.example.com' }
    const isOther = { ...env, HUB_SECRET: 'another secret that only tests know, long enough' }
    await consumeIn({ ...isPublic, ...noQueue }, 'webhook-deliveries', [message(0)])
    await consumeIn({ ...isOther, ...noQueue }, 'webhook-deliveries', [message(1)])
    const errors = (await list())[0]?.attempts.map(({ error }) => error)
    expect(errors).toEqual([
      'the URL must be an https URL',
      'the secrets of the webhook are lost: make a new one',
    ])
    expect(await receiver.calls()).toEqual([])
  })
})

describe('secrets', () => {
  test('that are replaced still sign until they expire', async () => {
    const { by, id, receiver, secret } = await setUp()
    const body = { previous_valid_secs: 600 }
    const made = await bodyOf(by.post(`/v1/me/webhooks/${id}/secrets`, body))
    await tell(1)
    await settle()
    const [both] = await receiver.calls()
    for (const one of [secret, made.secret])
      expect(await verify(one, both as ReceivedCall)).toMatchObject({ data: { n: 1 } })
    pass(600)
    await tell(1)
    await settle()
    const [, last] = await receiver.calls()
    expect(await verify(made.secret, last as ReceivedCall)).toMatchObject({ data: { n: 1 } })
    expect(await verify(secret, last as ReceivedCall)).toBeNull()
  })

  test('cannot be read in the database', async () => {
    const { secret, by } = await setUp()
    const stored = JSON.stringify([
      await rowsOf('SELECT * FROM webhooks'),
      await rowsOf('SELECT * FROM idempotency_keys'),
    ])
    const bytes = atob(secret.slice('whsec_'.length))
    for (const spelling of [
      secret.slice(6),
      btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').slice(0, 43),
    ])
      expect(stored).not.toContain(spelling)
    expect(JSON.stringify(await bodyOf(by.get('/v1/me/webhooks')))).not.toContain(secret)
  })
})
