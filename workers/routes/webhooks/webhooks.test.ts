import type { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { activeMax, webhooksMax } from '../../../durable-objects/webhooks/rules.ts'
import { signIn } from '../../test/callers.ts'
import {
  atOnce,
  bodyOf,
  type Client,
  client,
  expectAnswer,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import { bonded, createSubscribed, indexState } from '../../test/evidence.ts'
import { createDeveloper } from '../../test/project.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql, scalarOf } from '../../test/tables.ts'
import { createReceiver, createWebhook, type Delivery, projectId } from '../../test/webhooks.ts'
import { EventView } from '../events/schema.ts'

const path = '/v1/me/webhooks'
const input = { url: 'https://receiver.example.com/', types: ['round.finalized', 'device.offline'] }
const patch = (by: Client, id: string, json: object) => by.fetch(`${path}/${id}`, { method: 'PATCH', json })
const unknown = 'A'.repeat(16)

test('a webhook is created, read, listed, changed and deleted', async () => {
  const { client: by } = await signIn()
  const answer = await by.post(path, { ...input, project_ids: [projectId] })
  const { secret, ...webhook } = await bodyOf(answer)
  const { webhook_id: id } = webhook
  expect([answer.status, answer.headers.get('location')]).toEqual([201, `${path}/${id}`])
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toEqual({
    ...{ webhook_id: expect.stringMatching(/^[A-Za-z0-9]{16}$/), ...input, project_ids: [projectId] },
    ...{ state: 'active', disabled_because: null, failing_since: null, created_at: expect.any(Number) },
    secrets: [{ created_at: webhook.created_at, expires_at: null }],
  })
  expect(await bodyOf(by.get(`${path}/${id}`))).toEqual(webhook)
  expect(await itemsOf(by.get(path))).toEqual([webhook])
  await expectAnswer(patch(by, id, { types: ['epoch.settled'], project_ids: null }), 200, {
    ...{ url: input.url, types: ['epoch.settled'], project_ids: null },
  })
  await expectAnswer(patch(by, id, { state: 'disabled' }), 200, {
    state: 'disabled',
    disabled_because: 'owner',
  })
  await expectAnswer(patch(by, id, {}), 200, { state: 'disabled' })
  await expectAnswer(patch(by, id, { state: 'active' }), 200, { state: 'active', disabled_because: null })
  expect((await by.delete(`${path}/${id}`)).status).toBe(204)
  expect(await itemsOf(by.get(path))).toEqual([])
})

test('409 conflict: more webhooks than the limit of a wallet, also in a race', async () => {
  const { client: by, address } = await signIn()
  await createWebhook(by, input.url)
  await runSql(
    `INSERT INTO webhooks (webhook_id, owner, url, types, state, secrets, created_at, from_row)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     SELECT printf('%016d', i), ?2, '', '[]', 'disabled', '[]', 1, 1 FROM n`,
    ...[webhooksMax - 3, address],
  )
  expect(await statusesOf(atOnce(5, () => by.post(path, input)))).toEqual([201, 201, 409, 409, 409])
  await expectRefusal(by.post(path, input), '409 conflict')
  expect(await scalarOf('SELECT count(*) FROM webhooks WHERE owner = ?', address)).toBe(webhooksMax)
})

test('409 conflict: more active webhooks than the limit of a hub', async () => {
  const { client: by } = await signIn()
  const { webhook_id: id } = await createWebhook(by, input.url)
  const active = async () => Number(await scalarOf('SELECT active FROM webhook_reader'))
  const before = await active()
  await patch(by, id, { state: 'disabled' })
  expect(await active()).toBe(before - 1)
  await runSql('UPDATE webhook_reader SET active = active + ?', activeMax - before + 1)
  await expectRefusal(by.post(path, input), '409 conflict')
  await expectRefusal(patch(by, id, { state: 'active' }), '409 conflict')
  await expectAnswer(patch(by, id, { types: ['epoch.settled'] }), 200, { state: 'disabled' })
  await runSql('UPDATE webhook_reader SET active = active - ?', activeMax - before + 1)
  await expectAnswer(patch(by, id, { state: 'active' }), 200, { state: 'active' })
  await by.delete(`${path}/${id}`)
  expect(await active()).toBe(before - 1)
})

test('wallets that anybody can make leave half of the room to developers and bonded collateral', async () => {
  const stranger = await signIn()
  const developer = await createDeveloper()
  const { owner: miner, subscriptionId } = await createSubscribed(await createListedProject())
  await indexState('subscription', subscriptionId, bonded(1n, miner.address))
  const before = Number(await scalarOf('SELECT active FROM webhook_reader'))
  await runSql('UPDATE webhook_reader SET active = ?', activeMax / 2)
  await expectRefusal(stranger.client.post(path, input), '409 conflict')
  for (const { client: caller } of [developer, miner])
    expect((await caller.post(path, input)).status).toBe(201)
  await runSql('UPDATE webhook_reader SET active = ?', before + 2)
})

test('400 invalid_field: wrong URLs, types, projects and states', async () => {
  const { client: by } = await signIn()
  const { webhook_id: id } = await createWebhook(by, input.url)
  const wrong: [object, string][] = [
    [{ url: 'http://receiver.example.com' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: `https://receiver.example.com/${'x'.repeat(2048)}` }, 'url'],
    [{ types: [] }, 'types'],
    [{ types: ['device.bound', 'device.bound'] }, 'types'],
    [{ types: ['webhook.test'] }, 'types[0]'],
    [{ project_ids: [] }, 'project_ids'],
    [{ project_ids: ['0x1'] }, 'project_ids[0]'],
  ]
  for (const [fields, problem] of wrong) {
    await expectInvalid(by.post(path, { ...input, ...fields }), problem)
    await expectInvalid(patch(by, id, fields), problem)
  }
  await expectInvalid(patch(by, id, { state: 'paused' }), 'state')
  const own = 'http://localhost:8787/v1/me'
  await expectInvalid(by.post(path, { ...input, url: own }), 'url')
  const bindings = { LOCAL_NETWORK: 'false', BASE_URL: 'https://hub.example.com' }
  const elsewhere = client({ token: (await signIn()).token, bindings })
  await expectInvalid(elsewhere.post(path, { ...input, url: 'http://localhost:9000/' }), 'url')
})

test('404 not_found: a webhook of another wallet, or an unknown one', async () => {
  const [{ client: ada }, { client: bob }] = [await signIn(), await signIn()]
  const { webhook_id: id } = await createWebhook(ada, input.url)
  const delivery = `msg_${unknown}_1_1`
  for (const one of [`${path}/${id}`, `${path}/${unknown}`])
    for (const answer of [
      bob.get(one),
      bob.fetch(one, { method: 'PATCH', json: { state: 'disabled' } }),
      bob.delete(one),
      bob.post(`${one}/test`),
      bob.post(`${one}/secrets`),
      bob.get(`${one}/deliveries`),
      bob.post(`${one}/deliveries/${delivery}/redeliver`),
    ])
      await expectRefusal(answer, '404 not_found')
  expect(await bodyOf(ada.get(`${path}/${id}`))).toMatchObject({ state: 'active' })
  await expectRefusal(ada.post(`${path}/${id}/deliveries/msg_${id}_1_1/redeliver`), '404 not_found')
})

test('a key with the scope reads only webhooks of its projects, and changes nothing', async () => {
  const { client: by } = await createDeveloper()
  const of = await createWebhook(by, input.url, { project_ids: [projectId] })
  await createWebhook(by, input.url)
  const keyOf = async (scopes: string[]) => {
    const { secret } = await bodyOf(by.post('/v1/developers/api-keys', { name: 'key', scopes }))
    return client({ token: secret })
  }
  const key = await keyOf(['analytics:read'])
  expect(await itemsOf(key.get(path))).toHaveLength(2)
  await runSql('UPDATE api_keys SET project_ids = ?', JSON.stringify([projectId]))
  expect((await itemsOf(key.get(path))).map(({ webhook_id }) => webhook_id)).toEqual([of.webhook_id])
  expect((await key.get(`${path}/${of.webhook_id}`)).status).toBe(200)
  await runSql('UPDATE api_keys SET project_ids = ?', JSON.stringify([`0x${'2'.repeat(64)}`]))
  await expectRefusal(key.get(`${path}/${of.webhook_id}`), '404 not_found')
  await expectRefusal((await keyOf(['modules:write'])).get(path), '403 scope_missing')
  await expectRefusal(key.post(path, input), '403 forbidden')
  await expectRefusal(key.get(`${path}/${of.webhook_id}/deliveries`), '403 forbidden')
})

test('a webhook has at most five secrets at a time', async () => {
  const { client: by } = await signIn()
  const { webhook_id: id, secret } = await createWebhook(by, input.url)
  const make = (json?: object, headers = {}) => by.post(`${path}/${id}/secrets`, json, headers)
  const headers = { 'Idempotency-Key': 'second' }
  const second = await bodyOf(make(undefined, headers))
  expect(await bodyOf(make(undefined, headers))).toEqual(second)
  expect(second.secret).not.toBe(secret)
  const expiring = async () => {
    const { secrets } = await bodyOf<{ secrets: { expires_at: number | null }[] }>(by.get(`${path}/${id}`))
    return secrets.map(({ expires_at }) => expires_at)
  }
  expect(await expiring()).toEqual([null, expect.any(Number)])
  for (let made = 2; made < 5; made++) expect((await make()).status).toBe(201)
  await expectRefusal(make(), '409 conflict')
  expect((await make({ previous_valid_secs: 0 })).status).toBe(201)
  expect(await expiring()).toEqual([null])
  await expectInvalid(make({ previous_valid_secs: -1 }), 'previous_valid_secs')
  // As many as succeed are there, also of those at once.
  const statuses = await statusesOf(atOnce(3, () => make({ previous_valid_secs: 60 })))
  expect(await expiring()).toHaveLength(1 + statuses.filter((status) => status === 201).length)
})

test('deliveries are listed in pages, newest first, and a gap cannot be redelivered', async () => {
  const { client: by } = await signIn()
  const receiver = createReceiver()
  const { webhook_id: id } = await createWebhook(by, receiver.url)
  const made: Delivery[] = []
  for (let tests = 0; tests < 3; tests++) made.push(await bodyOf(by.post(`${path}/${id}/test`)))
  const pages = await pagesOf<Delivery>(by, `${path}/${id}/deliveries`, 2)
  expect(pages.flat().map(({ delivery_id }) => delivery_id)).toEqual(
    made.map(({ delivery_id }) => delivery_id).reverse(),
  )
  await expect.poll(async () => (await receiver.calls()).length).toBe(3)
  for (const { body } of await receiver.calls())
    expect(EventView.parse(JSON.parse(body))).toMatchObject({
      id: expect.stringMatching(/^test-/),
      type: 'webhook.test',
    })
  // The hub notes an attempt after the receiver has it.
  const states = async () =>
    (await itemsOf<Delivery>(by.get(`${path}/${id}/deliveries`))).map(({ state }) => state)
  await expect.poll(states).toEqual(Array(3).fill('delivered'))
  await runSql("UPDATE webhook_deliveries SET state = 'gap' WHERE webhook_id = ? AND number = 1", id)
  const redeliver = ({ delivery_id }: Delivery) =>
    by.post(`${path}/${id}/deliveries/${delivery_id}/redeliver`)
  await expectRefusal(redeliver(made[0] as Delivery), '409 invalid_state')
  const again = await redeliver(made[1] as Delivery)
  expect(again.headers.get('location')).toBe(`${path}/${id}/deliveries`)
  await expectAnswer(Promise.resolve(again), 202, { delivery_id: made[1]?.delivery_id, state: 'pending' })
  await expect.poll(async () => (await receiver.calls()).length).toBe(4)
  await expectInvalid(by.post(`${path}/${id}/deliveries/x/redeliver`), 'delivery_id')
})

test('a webhook is created even if its reader cannot be woken', async () => {
  const { token } = await signIn()
  const WEBHOOK_READER = {
    getByName: () => ({ wake: () => Promise.reject(new Error('the object is away')) }),
  } as unknown as typeof env.WEBHOOK_READER
  const { status } = await client({ token, bindings: { WEBHOOK_READER } }).post(path, input)
  expect(status).toBe(201)
})
