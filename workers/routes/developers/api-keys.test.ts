import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { services } from '../../services.ts'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, itemsOf, statusesOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { createDeveloper } from '../../test/project.ts'
import { rowsOf, runSql, scalarOf } from '../../test/tables.ts'

/** Keys of a wallet that are over: every other one revoked, the rest expired. */
const leaveKeys = (owner: string, count: number) =>
  runSql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, created_at, expires_at, revoked_at)
    SELECT printf('%08d', i), ?1, 'over', '', '[]', i, iif(i % 2, NULL, 1), iif(i % 2, 1, NULL) FROM n`,
    owner,
    count,
  )

const path = '/v1/developers/api-keys'
const input = { name: 'CI', scopes: ['modules:write'] }

test('the secret is shown once, works as a credential, and stops at once when revoked', async () => {
  const { client: caller } = await createDeveloper()
  const created = await caller.post(path, input)
  expect(created.status).toBe(201)
  const { secret, ...key } = await bodyOf(created)
  expect(secret).toMatch(/^hub_test_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/)
  expect(key).toEqual({
    key_id: expect.stringMatching(/^[A-Za-z0-9]{8}$/),
    name: 'CI',
    prefix: secret.slice(0, 17),
    scopes: ['modules:write'],
    project_ids: null,
    last_used_at: null,
    expires_at: null,
    created_at: expect.any(Number),
  })
  expect(await bodyOf(caller.get(path))).toEqual({ items: [key], next_cursor: null })

  const program = client({ token: secret })
  expect((await program.get('/v1/status')).headers.get('ratelimit-limit')).toBe('3000')
  const [used] = await itemsOf(caller.get(path))
  expect(used.last_used_at).toBeGreaterThan(0)

  expect((await caller.delete(`${path}/${key.key_id}`)).status).toBe(204)
  expect((await program.get('/v1/status')).status).toBe(401)
  expect((await caller.delete(`${path}/${key.key_id}`)).status).toBe(404)
  expect(await bodyOf(caller.get(path))).toEqual({ items: [], next_cursor: null })
})

test('a repeat with the same Idempotency-Key returns the same key, and its secret is not stored in plain text', async () => {
  const { client: caller } = await createDeveloper()
  const headers = { 'Idempotency-Key': 'one-key' }
  const first = await bodyOf(caller.post(path, input, headers))
  const again = await caller.post(path, input, headers)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  expect(await bodyOf(again)).toEqual(first)
  expect(JSON.stringify(await rowsOf('SELECT * FROM idempotency_keys'))).not.toContain(first.secret.slice(18))
})

test('of two concurrent tries to create the same key, one succeeds', async () => {
  const { address } = await createDeveloper()
  const { apiKeys } = services(env)
  const key = {
    keyId: 'SameKey1',
    owner: address,
    name: 'CI',
    secretHash: '0x',
    scopes: ['modules:write' as const],
    projectIds: null,
    createdAt: 1,
    expiresAt: null,
  }
  const outcomes = await Promise.all([apiKeys.create(key), apiKeys.create(key)])
  expect(outcomes.sort()).toEqual(['created', 'exists'])
})

test('only a hash of the secret is stored', async () => {
  const { client: caller } = await createDeveloper()
  const { secret } = await bodyOf(caller.post(path, input))
  expect(JSON.stringify(await rowsOf('SELECT * FROM api_keys'))).not.toContain(secret.slice(18))
})

test('the time of the last use is written at most every ten minutes', async () => {
  const { client: caller } = await createDeveloper()
  const { secret, key_id } = await bodyOf(caller.post(path, input))
  const note = (seconds: number) =>
    runSql('UPDATE api_keys SET last_used_at = ? WHERE key_id = ?', seconds, key_id)
  const noted = () => scalarOf('SELECT last_used_at FROM api_keys WHERE key_id = ?', key_id)
  const now = Math.floor(Date.now() / 1000)
  await note(now - 60)
  await client({ token: secret }).get('/v1/status')
  expect(await noted()).toBe(now - 60)
  await note(now - 700)
  await client({ token: secret }).get('/v1/status')
  expect(await noted()).toBeGreaterThanOrEqual(now)
})

test('403 not_enrolled without an active enrollment', async () => {
  const { client: caller } = await signIn()
  await expectRefusal(caller.post(path, input), '403 not_enrolled')
  const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
  await caller.post('/v1/developers/me/enrollment', application)
  await expectRefusal(caller.post(path, input), '403 not_enrolled')
})

test("projects must be the caller's own", async () => {
  const { client: caller, address } = await createDeveloper()
  const [own, foreign] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
  const insert = env.DB.prepare(
    "INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at) VALUES (?, ?, 's', 'iot', 'listed', 1)",
  )
  await env.DB.batch([insert.bind(own, address), insert.bind(foreign, '0x')])
  expect(await bodyOf(caller.post(path, { ...input, project_ids: [own] }))).toMatchObject({
    project_ids: [own],
  })
  await expectInvalid(caller.post(path, { ...input, project_ids: [own, foreign] }), 'project_ids[1]')
})

test.each([
  ['no scope', { scopes: [] }, 'scopes'],
  ['an unknown scope', { scopes: ['everything'] }, 'scopes[0]'],
  ['a scope twice', { scopes: ['modules:write', 'modules:write'] }, 'scopes'],
  ['a name of 65 characters', { name: 'x'.repeat(65) }, 'name'],
  ['an expiry in the past', { expires_at: 1 }, 'expires_at'],
])('400 invalid_field: %s', async (_, change, problem) => {
  const { client: caller } = await createDeveloper()
  await expectInvalid(caller.post(path, { ...input, ...change }), problem)
})

test('409 conflict: the 51st live key, also in a race; a revoked one makes room', async () => {
  const { client: caller } = await createDeveloper()
  for (let i = 0; i < 48; i++) await caller.post(path, input)
  expect(await statusesOf(Array.from({ length: 4 }, () => caller.post(path, input)))).toEqual([
    201, 201, 409, 409,
  ])
  const items = await itemsOf(caller.get(`${path}?limit=1`))
  await caller.delete(`${path}/${items[0]?.key_id}`)
  expect((await caller.post(path, input)).status).toBe(201)
})

test('expired and revoked keys add no reads when a key is created, nor revoked ones when keys are listed', async () => {
  const { address, token } = await createDeveloper()
  await leaveKeys(address, 1000)
  const { db, use } = countedDatabase()
  const caller = client({ token, bindings: { DB: db } })
  const key = { name: 'Fresh', scopes: ['modules:write'] }
  for (let i = 0; i < 3; i++) expect((await caller.post('/v1/developers/api-keys', key)).status).toBe(201)
  expect(use.rowsRead).toBeLessThan(40)

  const before = use.rowsRead
  const page = await itemsOf(caller.get('/v1/developers/api-keys?limit=5'))
  expect(page.map(({ name }) => name)).toEqual(['Fresh', 'Fresh', 'Fresh', 'over', 'over'])
  expect(use.rowsRead - before).toBeLessThan(15)
})
