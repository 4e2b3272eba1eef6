import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { keptMax, slowMs } from '../../durable-objects/webhooks/rules.ts'
import { services } from '../services.ts'
import { type Prepared, WebhookDeliveryStore } from '../stores/webhook-deliveries.ts'
import { itemsOf } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { consumeIn } from '../test/queue.ts'
import { rowsOf, runSql, scalarOf } from '../test/tables.ts'
import {
  createWebhook,
  type Delivery,
  haveTheHub,
  look,
  numbersOf,
  pass,
  settle,
  setUp,
  tell,
  until,
} from '../test/webhooks.ts'
import { createReader } from './reader.ts'

haveTheHub()

test('a webhook that is disabled right after an event shows that it may have missed the event', async () => {
  const { by, id, list } = await setUp()
  const set = (state: string) => by.fetch(`/v1/me/webhooks/${id}`, { method: 'PATCH', json: { state } })
  await set('disabled')
  expect(await list()).toEqual([])
  await set('active')
  await tell(1)
  await set('disabled')
  expect(await list()).toMatchObject([{ state: 'gap', event: { data: { reason: 'disabled' } } }])
  // The next delivery has the next number.
  expect((await by.post(`/v1/me/webhooks/${id}/test`)).status).toBe(202)
  expect((await list()).map(({ delivery_id }) => Number(delivery_id.split('_')[2]))).toEqual([2, 1])
})

test('if a webhook changes after rows were compared with it, the rows are compared again before they are noted', async () => {
  const { id } = await setUp()
  const store = services(env).store(WebhookDeliveryStore)
  await tell(1)
  const state = await store.look(unixNow())
  const found = new Map([[id, { row: state.row, offset: 0 }]])
  await runSql(`UPDATE webhooks SET types = '["project.paused"]' WHERE webhook_id = ?`, id)
  expect(await store.note(state, state.row + 1, found, unixNow())).toBe(false)
  const next = await store.look(unixNow())
  expect(next).toMatchObject({ row: state.row, waits: false })
  expect(await store.note(next, next.row + 1, found, unixNow())).toBe(true)
  expect(await store.look(unixNow())).toMatchObject({ row: state.row + 1, waits: true })
})

test('a log that was restored from an older copy leaves a gap, and later events are delivered', async () => {
  const { id, list, receiver } = await setUp()
  await tell(5)
  await settle()
  const newest = Number(await scalarOf('SELECT max(id) FROM event_log'))
  const cut = async (to: number) => {
    await runSql('DELETE FROM event_log WHERE id > ?', to)
    await runSql("UPDATE sqlite_sequence SET seq = ? WHERE name = 'event_log'", to)
  }
  await cut(newest - 3)
  await look()
  expect((await list()).filter(({ state }) => state === 'gap')).toMatchObject([
    { event: { data: { reason: 'archived', archived_before: expect.any(Number) } } },
  ])
  const { row } = await services(env).store(WebhookDeliveryStore).look(unixNow())
  expect(row).toBe(newest - 2)
  await tell(1)
  await settle()
  expect((await receiver.calls()).length).toBe(6)
  // Also one that was made at a row which is there no more, and that has nothing to read before.
  await runSql('UPDATE webhooks SET from_row = ? WHERE webhook_id = ?', newest + 10, id)
  await runSql('UPDATE webhooks SET types = \'["project.listed","epoch.settled"]\'')
  await look()
  await tell(1)
  await settle()
  expect((await list()).map(({ state }) => state).slice(0, 2)).toEqual(['delivered', 'gap'])
})

describe('many events at once', () => {
  const made = (id: string) =>
    scalarOf<number>('SELECT count(*) FROM webhook_deliveries WHERE webhook_id = ? AND number < 1000', id)

  test('are created in portions, each event once', async () => {
    const { receiver, id } = await setUp()
    const count = 100
    await tell(count)
    let turns = 0
    do {
      pass(2)
      await settle()
      turns += 1
    } while ((await scalarOf('SELECT next_row FROM webhooks WHERE webhook_id = ?', id)) !== null)
    // The last one finds that nothing is left.
    expect(turns).toBe(count / 20 + 1)
    const numbers = await numbersOf(receiver)
    expect([numbers.length, new Set(numbers).size]).toEqual([count, count])
    expect(Math.max(...(await receiver.calls()).map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(20)
  })

  test('ten thousand events create as many rows as twenty, and delay no other webhook', async () => {
    const { receiver, id } = await setUp()
    const other = await setUp({ types: ['project.paused'] })
    await tell(10_000)
    await tell(1, { type: 'project.paused' })
    await settle()
    expect(await numbersOf(other.receiver)).toEqual([1])
    expect([await made(id), (await receiver.calls()).length]).toEqual([20, 20])
    // Webhooks that find nothing in all of it read a few pages in a step, together.
    await runSql(
      `INSERT INTO webhooks (webhook_id, owner, url, types, state, secrets, created_at, from_row, next_row, next_offset, next_at)
       SELECT 'lagging' || value, value, '', '["epoch.settled"]', 'active', '[]', 1, 1, first, 0, ?
       FROM json_each('[1,2,3]'), (SELECT min(id) AS first FROM event_log)`,
      unixNow(),
    )
    const { db, use } = countedDatabase()
    await createReader({ ...env, DB: db }).step()
    expect([use.roundTrips > 16, use.roundTrips <= 16 + 5]).toEqual([true, true])
    await runSql('DELETE FROM event_log WHERE id < (SELECT max(id) FROM event_log)')
  })

  test('share one portion per turn between all webhooks of a wallet', async () => {
    const { by, receiver, id } = await setUp()
    const more = [await createWebhook(by, receiver.url), await createWebhook(by, receiver.url)]
    const other = await setUp()
    await tell(25)
    await settle()
    const ids = [id, ...more.map(({ webhook_id }) => webhook_id)]
    const all = async () =>
      (await Promise.all(ids.map(made))).reduce<number>((sum, one) => sum + Number(one), 0)
    expect([await all(), await made(other.id)]).toEqual([20, 20])
    pass(2)
    await settle()
    expect([await all(), await made(other.id)]).toEqual([40, 25])
  })

  test('are sent five at a time to a receiver that answers slowly', async () => {
    const { id } = await setUp()
    const store = services(env).store(WebhookDeliveryStore)
    const bindings = { ...env, WEBHOOK_DELIVERIES: { sendBatch: async () => {} } as never }
    await tell(1)
    await createReader(bindings).step()
    const [first] = await store.prepare([{ webhookId: id, number: 1 }])
    const attempt = { at: unixNow(), durationMs: slowMs + 1, status: 200, answer: '', error: null }
    await store.succeed(first as Prepared, attempt, unixNow())
    await tell(30)
    await createReader(bindings).step()
    expect(await made(id)).toBe(1 + 5)
  })

  test('stay in the log while too many deliveries are in flight', async () => {
    const { id } = await setUp()
    // The messages of these are still in the queue.
    await runSql(
      `INSERT INTO webhook_deliveries (webhook_id, number, created_at, state, body, attempts_made, attempts_left, due_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45)
       SELECT ?, 1000 + i, 1, 'pending', '{}', 9, 1, ? FROM n`,
      ...[id, unixNow()],
    )
    await tell(30)
    await createReader(env).step()
    expect(await made(id)).toBe(5)
    pass(2)
    await runSql('DELETE FROM webhook_deliveries WHERE webhook_id = ? AND number >= 1000', id)
    await settle()
    expect(await made(id)).toBe(25)
  })

  test('cost two round trips without new events, a dozen rows per delivery, and none for finished deliveries', async () => {
    const { id } = await setUp()
    await runSql(
      `INSERT INTO webhook_deliveries (webhook_id, number, created_at, state, body, attempts_left, due_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
       SELECT ?, 1000 + i, 1, 'failed', '{}', 0, 9e9 FROM n`,
      id,
    )
    const { db, use } = countedDatabase()
    const bindings = { ...env, DB: db, WEBHOOK_DELIVERIES: { sendBatch: async () => {} } as never }
    const reader = createReader(bindings)
    await reader.step()
    const begin = { ...use }
    await reader.step()
    expect([use.roundTrips - begin.roundTrips, use.rowsWritten - begin.rowsWritten]).toEqual([2, 0])
    await tell(10)
    const { rowsRead } = use
    await reader.step()
    expect(use.rowsRead - rowsRead).toBeLessThan(300)
    await consumeIn(
      bindings,
      'webhook-deliveries',
      Array.from({ length: 10 }, (_, i) => ({ v: 1, webhookId: id, number: i + 1, attemptsMade: 0 })),
    )
    expect((use.rowsWritten - begin.rowsWritten) / 10).toBeLessThanOrEqual(12)
  })

  test('of the finished deliveries, only the newest are kept', async () => {
    const { by, id } = await setUp()
    const insert = `INSERT INTO webhook_deliveries (webhook_id, number, created_at, state, body, attempts_left, due_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      SELECT ?1, i, 1, iif(i = 2, 'pending', 'failed'), '{}', 1, 9e9 FROM n`
    await runSql(insert, id, keptMax)
    await runSql('UPDATE webhooks SET deliveries = ? WHERE webhook_id = ?', keptMax, id)
    await tell(10)
    await settle()
    const left = await rowsOf(
      'SELECT number FROM webhook_deliveries WHERE webhook_id = ? ORDER BY number',
      id,
    )
    expect([left.length, left[0]?.number, left[1]?.number]).toEqual([keptMax + 1, 2, 11])
    for (let tests = 0; tests < 3; tests++) await by.post(`/v1/me/webhooks/${id}/test`)
    await settle()
    expect(await scalarOf('SELECT count(*) FROM webhook_deliveries WHERE webhook_id = ?', id)).toBe(
      keptMax + 1,
    )
    await by.delete(`/v1/me/webhooks/${id}`)
  })
})

test('events that were deleted before they could be sent leave a gap, and the rest is delivered', async () => {
  const { receiver, id, list } = await setUp()
  await receiver.answers({ status: 500 })
  await tell(30)
  await settle()
  await runSql('DELETE FROM event_log WHERE id < (SELECT max(id) - 2 FROM event_log)')
  await receiver.answers({})
  await until((await list()).find(({ state }) => state === 'pending') as Delivery)
  pass(10)
  await settle()
  const states = (await list()).map(({ state, event }) => `${state} ${event.data.reason ?? ''}`.trim())
  expect(states).toEqual([
    ...Array.from({ length: 3 }, () => 'delivered'),
    'gap archived',
    ...Array.from({ length: 20 }, () => 'delivered'),
  ])
  // The reader itself was away for longer than the log is kept.
  await settle()
  await tell(3)
  await runSql('DELETE FROM event_log WHERE id < (SELECT max(id) FROM event_log)')
  await settle()
  expect((await list()).slice(0, 2)).toMatchObject([
    { state: 'delivered', event: { data: { n: 3 } } },
    { state: 'gap' },
  ])
  expect(await scalarOf('SELECT next_row FROM webhooks WHERE webhook_id = ?', id)).toBeNull()
})

test('events that a receiver missed can be read from the feed, starting after its last event', async () => {
  const { by, id, receiver, list } = await setUp()
  const start = await itemsOf<{ id: string }>(by.get('/v1/events?type=project.listed'))
  await tell(4)
  await settle()
  await tell(5)
  await by.fetch(`/v1/me/webhooks/${id}`, { method: 'PATCH', json: { state: 'disabled' } })
  const got = (await receiver.calls()).map(({ body }) => JSON.parse(body) as Delivery['event'])
  expect((await list()).some(({ state }) => state === 'gap')).toBe(true)
  const placeOf = ({ id = '' }: { id?: string }) =>
    Number(id.split('-')[0]) * 1_000 + Number(id.split('-')[1])
  const last = got.reduce((newest, one) => (placeOf(one) > placeOf(newest) ? one : newest))
  const missed = await itemsOf<Delivery['event']>(by.get(`/v1/events?type=project.listed&after=${last.id}`))
  expect([got.map(({ data }) => data.n).sort(), missed.map(({ data }) => data.n)]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4, 5],
  ])
  const ids = [...start, ...got, ...missed].map((one) => one.id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('an idle network without webhooks causes no reads', async () => {
  expect(await createReader(env).step()).toBeNull()
})
