import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { services } from '../../services.ts'
import { bodyOf, client, errorOf, statusesOf } from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { expectError, expectInvalid } from '../../test/refusals.ts'
import { runSql } from '../../test/tables.ts'
import { signIn } from '../../test/wallet.ts'

const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }

/** A signed-in wallet; `approve` is a hub that approves by itself. */
const session = async (approve = false) => {
  const { address, token } = await signIn()
  const caller = client({ token, ...(approve && { bindings: { AUTO_APPROVE_DEVELOPERS: 'true' } }) })
  return {
    address,
    token,
    caller,
    enroll: (change: object = {}) =>
      caller.post('/v1/developers/me/enrollment', { ...application, ...change }),
    verify: () => caller.post('/v1/developers/me/verification'),
  }
}
const set = (address: string, column: string, value: string) =>
  runSql(`UPDATE developers SET ${column} = ? WHERE address = ?`, value, address)

describe('enrollment', () => {
  test('is pending until somebody decides, and then cannot be asked for again', async () => {
    const { enroll, caller, address } = await session()
    expect(await bodyOf(enroll({ email: 'ada@ada.example', reason: 'to render' }))).toMatchObject({
      address,
      enrollment: 'pending',
      verification: 'unverified',
      verified: false,
      email: 'ada@ada.example',
      reason: 'to render',
    })
    await expectError(enroll(), 409, 'invalid_state')
    expect((await client().get(`/v1/developers/${address}`)).status).toBe(404)
    expect((await caller.get('/v1/developers/me')).status).toBe(200)
  })

  test('is active and verified at once where the hub approves by itself', async () => {
    const { enroll, verify, address } = await session(true)
    expect(await bodyOf(enroll())).toMatchObject({ enrollment: 'active', verification: 'verified' })
    await expectError(enroll(), 409, 'invalid_state')
    await expectError(verify(), 409, 'invalid_state')
    expect(await bodyOf(client().get(`/v1/developers/${address}`))).toMatchObject({
      address,
      verified: true,
    })
  })

  test('a draft or a rejected one can be made again', async () => {
    const { enroll, address } = await session()
    expect(await bodyOf(enroll({ draft: true }))).toMatchObject({ enrollment: 'draft' })
    expect(await bodyOf(enroll())).toMatchObject({ enrollment: 'pending' })
    await set(address, 'enrollment', 'rejected')
    expect(await bodyOf(enroll({ display_name: 'Ada II' }))).toMatchObject({
      enrollment: 'pending',
      display_name: 'Ada II',
    })
  })

  test('of ten racing applications exactly one is taken', async () => {
    const { enroll } = await session()
    const statuses = await statusesOf(Array.from({ length: 10 }, () => enroll()))
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)])
  })

  test.each([
    ['agreements that are not accepted', { agreements_accepted: false }, 'agreements_accepted'],
    ['an empty name', { display_name: '' }, 'display_name'],
    ['a website that is not https', { website: 'http://ada.example' }, 'website'],
    ['a website that runs script', { website: 'javascript:alert(1)' }, 'website'],
    ['an e-mail address that is none', { email: 'ada' }, 'email'],
    ['another kind of developer', { developer_type: 'robot' }, 'developer_type'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const { enroll } = await session()
    await expectInvalid(enroll(change), path)
  })
})

describe('verification', () => {
  test('409 invalid_state without an enrollment, then pending, and asked for once', async () => {
    const { enroll, verify } = await session()
    const refused = (message: string) => ({ status: 409, error: 'invalid_state', message })
    expect(await errorOf(await verify())).toMatchObject(
      refused(
        'The wallet has no enrollment; verification needs a pending or active one: POST /v1/developers/me/enrollment.',
      ),
    )
    await enroll()
    expect(await bodyOf(verify())).toMatchObject({ verification: 'pending' })
    expect(await errorOf(await verify())).toMatchObject(
      refused('The verification is pending already; an operator decides it.'),
    )
  })
})

describe('profiles', () => {
  test('PUT replaces the profile; the e-mail address is for its owner', async () => {
    const { enroll, caller, address } = await session(true)
    await enroll()
    const profile = {
      display_name: 'Ada Computing',
      bio: 'Rendering.',
      website: 'https://ada.example/about',
      logo: null,
      location: 'London',
      email: 'ada@ada.example',
      social: { github: 'ada' },
    }
    const saved = await caller.fetch('/v1/developers/me', { method: 'PUT', json: profile })
    expect(await saved.json()).toMatchObject(profile)
    const shown = await bodyOf(client().get(`/v1/developers/${address.toUpperCase().replace('0X', '0x')}`))
    expect(shown).toMatchObject({ display_name: 'Ada Computing', social: { github: 'ada' } })
    expect(shown).not.toHaveProperty('email')
    expect(shown).not.toHaveProperty('reason')

    await caller.fetch('/v1/developers/me', { method: 'PUT', json: { display_name: 'Ada' } })
    expect(await bodyOf(caller.get('/v1/developers/me'))).toMatchObject({
      bio: null,
      social: {},
      email: null,
    })
  })

  test('404 not_found: not enrolled, unknown, malformed', async () => {
    const { caller, address } = await session()
    for (const response of [
      await caller.get('/v1/developers/me'),
      await caller.fetch('/v1/developers/me', { method: 'PUT', json: { display_name: 'x' } }),
      await client().get(`/v1/developers/${address}`),
      await client().get('/v1/developers/0x12'),
    ])
      await expectError(response, 404, 'not_found')
  })
})

describe('drafts', () => {
  const path = '/v1/developers/me/drafts'

  test('are created, read, replaced and deleted', async () => {
    const { caller } = await session()
    const created = await caller.post(path, { data: { name: 'one' } })
    expect(created.status).toBe(201)
    const draft = (await created.json()) as { draft_id: string }
    expect(draft).toEqual({
      draft_id: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
      current_step: 0,
      project_id: null,
      data: { name: 'one' },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    })
    const location = created.headers.get('location') ?? ''
    expect(await bodyOf(caller.get(location))).toEqual(draft)

    const replaced = await caller.fetch(location, { method: 'PUT', json: { current_step: 3, data: {} } })
    expect(replaced.status).toBe(200)
    expect(await replaced.json()).toMatchObject({ draft_id: draft.draft_id, current_step: 3, data: {} })
    expect((await caller.fetch(location, { method: 'DELETE' })).status).toBe(204)
    expect((await caller.get(location)).status).toBe(404)
    expect((await caller.fetch(location, { method: 'DELETE' })).status).toBe(404)
  })

  test('PUT creates under an id that the caller chooses', async () => {
    const { caller } = await session()
    const response = await caller.fetch(`${path}/my-first_draft`, { method: 'PUT', json: { data: {} } })
    expect([response.status, response.headers.get('location')]).toEqual([201, `${path}/my-first_draft`])
  })

  test("another wallet's draft is 404", async () => {
    const [ada, bob] = [await session(), await session()]
    await ada.caller.fetch(`${path}/secret`, { method: 'PUT', json: { data: { by: 'ada' } } })
    expect((await bob.caller.get(`${path}/secret`)).status).toBe(404)
    expect((await bob.caller.fetch(`${path}/secret`, { method: 'DELETE' })).status).toBe(404)
    expect((await bob.caller.fetch(`${path}/secret`, { method: 'PUT', json: { data: {} } })).status).toBe(201)
    expect(await bodyOf(ada.caller.get(`${path}/secret`))).toMatchObject({ data: { by: 'ada' } })
  })

  test('409 conflict when If-Match names an earlier version; of two racing writers one wins', async () => {
    const { caller } = await session()
    const created = await caller.fetch(`${path}/raced`, { method: 'PUT', json: { data: {} } })
    const etag = created.headers.get('etag') ?? ''
    const write = (step: number) =>
      caller.fetch(`${path}/raced`, {
        method: 'PUT',
        json: { current_step: step, data: {} },
        headers: { 'If-Match': etag },
      })
    const statuses = await statusesOf([write(1), write(2)])
    expect(statuses.sort()).toEqual([200, 409])
    const stale = { 'If-Match': etag }
    expect(
      await errorOf(await caller.fetch(`${path}/raced`, { method: 'DELETE', headers: stale })),
    ).toMatchObject({ error: 'conflict' })
    const malformed = await caller.fetch(`${path}/raced`, { method: 'DELETE', headers: { 'If-Match': 'x' } })
    await expectError(malformed, 400, 'invalid_field')
  })

  test('what was written comes back: fractions, and members of any name', async () => {
    const { caller } = await session()
    const body = '{"data":{"share":0.25,"tiny":1e-7,"__proto__":{"constructor":[]}}}'
    const headers = { 'Content-Type': 'application/json' }
    const created = await caller.fetch(`${path}/odd`, { method: 'PUT', body, headers })
    expect(created.status).toBe(201)
    expect(await (await caller.get(`${path}/odd`)).text()).toContain(
      JSON.stringify(JSON.parse(body)).slice(1, -1),
    )
    for (const number of ['1e999', '9007199254740993']) {
      const body = `{"data":{"n":${number}}}`
      const refused = await caller.fetch(`${path}/odd`, { method: 'PUT', body, headers })
      await expectError(refused, 400, 'bad_request')
    }
  })

  test('If-Match: * wants a draft that is there, If-None-Match: * one that is not', async () => {
    const { caller } = await session()
    const put = (condition: Record<string, string>) =>
      caller.fetch(`${path}/guarded`, { method: 'PUT', json: { data: {} }, headers: condition })
    await expectError(put({ 'If-Match': '*' }), 409, 'conflict')
    const created = await Promise.all([1, 2, 3].map(() => put({ 'If-None-Match': '*' })))
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect((await put({ 'If-Match': '*' })).status).toBe(200)
    for (const wrong of [{ 'If-None-Match': '"1"' }, { 'If-None-Match': '*', 'If-Match': '*' }])
      await expectError(put(wrong), 400, 'invalid_field')
  })

  test('the ETag of a deleted draft does not fit the next one with its id', async () => {
    const { caller } = await session()
    const put = (headers = {}) =>
      caller.fetch(`${path}/again`, { method: 'PUT', json: { data: {} }, headers })
    const old = (await put()).headers.get('etag') ?? ''
    await caller.fetch(`${path}/again`, { method: 'DELETE' })
    await put()
    expect((await put({ 'If-Match': old })).status).toBe(409)
  })

  test('256 KiB fit, one byte more is 413 too_large', async () => {
    const { caller } = await session()
    const put = (bytes: number) =>
      caller.fetch(`${path}/large`, {
        method: 'PUT',
        json: { data: { x: 'x'.repeat(bytes - '{"x":""}'.length) } },
      })
    expect((await put(256 * 1024)).status).toBe(201)
    await expectError(put(256 * 1024 + 1), 413, 'too_large')
  })

  test.each([
    ['letters of one byte', 'x'.repeat(1020)],
    ['letters of three', '漢'.repeat(340)],
  ])(
    'a page of large drafts is shorter than asked for, and all pages have each once: %s',
    async (_, kibibyte) => {
      const { caller } = await session()
      const kibibytes = [255, 255, 255, 255, 255, 1, 1, 255, 100]
      for (const [index, size] of kibibytes.entries())
        await caller.fetch(`${path}/draft-${index}`, {
          method: 'PUT',
          json: { data: { x: kibibyte.repeat(size) } },
        })
      const ids: string[] = []
      const pages: number[] = []
      for (let cursor = ''; ; ) {
        const response = await caller.get(`${path}?limit=200${cursor}`)
        const bytes = await response.arrayBuffer()
        const { items, next_cursor } = JSON.parse(new TextDecoder().decode(bytes)) as {
          items: { draft_id: string }[]
          next_cursor: string | null
        }
        expect(items.length).toBeGreaterThan(0)
        expect(bytes.byteLength).toBeLessThan(1024 * 1024 + 2000)
        ids.push(...items.map(({ draft_id }) => draft_id))
        pages.push(items.length)
        if (next_cursor === null) break
        cursor = `&cursor=${next_cursor}`
      }
      expect(ids.toSorted()).toEqual(kibibytes.map((_, index) => `draft-${index}`))
      expect(pages).toHaveLength(2)
    },
  )

  test('a repeat gets the first answer to the letter, and the hub does not keep the data twice', async () => {
    const { caller } = await session()
    const large = 'x'.repeat(100_000)
    const body = `{"data":{"share":0.25,"__proto__":{"b":[],"a":1},"large":"${large}"},"current_step":1}`
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'large-draft' }
    const post = async () => caller.fetch(path, { method: 'POST', body, headers })
    const [first, again] = [await post(), await post()]
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      201,
      'true',
    ])
    const text = await first.text()
    expect(text).toContain(large)
    expect(await again.text()).toBe(text)
    for (const name of ['location', 'etag']) expect(again.headers.get(name)).toBe(first.headers.get(name))
    const size = env.DB.prepare("SELECT length(body) AS size FROM idempotency_keys WHERE key = 'large-draft'")
    expect(await size.first<number>('size')).toBeLessThan(1000)
  })

  test('409 conflict: a draft that was changed before the try that failed is repeated', async () => {
    const { caller, token } = await session()
    const headers = { 'Idempotency-Key': 'changed-draft' }
    const DB = failingDatabase((sql) => /INSERT INTO "drafts"/.test(sql), { carriedOut: true })
    const failed = await client({ token, bindings: { DB } }).post(path, { data: { a: 1 } }, headers)
    expect(failed.status).toBe(503)
    const { items } = await bodyOf(caller.get(path))
    const [{ draft_id } = { draft_id: '' }] = items
    await caller.fetch(`${path}/${draft_id}`, { method: 'PUT', json: { data: { a: 2 } } })
    await expectError(caller.post(path, { data: { a: 1 } }, headers), 409, 'conflict', {
      details: { draft_id },
    })
  })

  test('409 conflict: the 51st draft, also in a race', async () => {
    const { caller } = await session()
    for (let i = 0; i < 48; i++) await caller.post(path, { data: {} })
    const statuses = await statusesOf(Array.from({ length: 5 }, () => caller.post(path, { data: {} })))
    expect(statuses.sort()).toEqual([201, 201, 409, 409, 409])
    const { items } = await bodyOf(caller.get(`${path}?limit=200`))
    expect(items).toHaveLength(50)
  })

  test('are listed last changed first, in pages', async () => {
    const { caller } = await session()
    for (const id of ['a', 'b', 'c'])
      await caller.fetch(`${path}/${id}`, { method: 'PUT', json: { data: {} } })
    const first = await bodyOf(caller.get(`${path}?limit=2`))
    const second = await bodyOf(caller.get(`${path}?limit=2&cursor=${first.next_cursor}`))
    expect([...first.items, ...second.items].map(({ draft_id }) => draft_id).sort()).toEqual(['a', 'b', 'c'])
    expect(second.next_cursor).toBeNull()

    // The same list of another wallet, which may have drafts of the same time.
    const { caller: other } = await session()
    await expectError(other.get(`${path}?limit=2&cursor=${first.next_cursor}`), 400, 'invalid_field', {
      details: { problems: [{ path: 'cursor' }] },
    })
  })

  test('404 on reading and 400 on writing: a malformed id', async () => {
    const { caller } = await session()
    expect((await caller.get(`${path}/no%20id`)).status).toBe(404)
    await expectError(
      caller.fetch(`${path}/no%20id`, { method: 'PUT', json: { data: {} } }),
      400,
      'invalid_field',
    )
  })
})

describe('API keys', () => {
  const path = '/v1/developers/api-keys'
  const enrolled = async () => {
    const developer = await session(true)
    await developer.enroll()
    return developer
  }
  const input = { name: 'CI', scopes: ['modules:write'] }

  test('the secret is shown once, works as a credential, and stops at once when revoked', async () => {
    const { caller } = await enrolled()
    const created = await caller.post(path, input)
    expect(created.status).toBe(201)
    const { secret, ...key } = (await created.json()) as { secret: string; key_id: string; prefix: string }
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
    const used = await bodyOf(caller.get(path))
    expect(used.items[0]?.last_used_at).toBeGreaterThan(0)

    expect((await caller.fetch(`${path}/${key.key_id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await program.get('/v1/status')).status).toBe(401)
    expect((await caller.fetch(`${path}/${key.key_id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await bodyOf(caller.get(path))).toEqual({ items: [], next_cursor: null })
  })

  test('a repeat with the same Idempotency-Key gives the same key, and its secret is not readable at rest', async () => {
    const { caller } = await enrolled()
    const headers = { 'Idempotency-Key': 'one-key' }
    const first = await bodyOf(caller.post(path, input, headers))
    const again = await caller.post(path, input, headers)
    expect([again.status, again.headers.get('idempotency-replayed'), await again.json()]).toEqual([
      201,
      'true',
      first,
    ])
    const { results } = await env.DB.prepare('SELECT * FROM idempotency_keys').all()
    expect(JSON.stringify(results)).not.toContain(first.secret.slice(18))
  })

  test('of two tries that make the same key one does', async () => {
    const { address } = await enrolled()
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
    const { caller } = await enrolled()
    const { secret } = await bodyOf(caller.post(path, input))
    const { results } = await env.DB.prepare('SELECT * FROM api_keys').all()
    expect(JSON.stringify(results)).not.toContain(secret.slice(18))
  })

  test('a use is written at most every ten minutes', async () => {
    const { caller } = await enrolled()
    const { secret, key_id } = await bodyOf(caller.post(path, input))
    const note = (seconds: number) =>
      runSql('UPDATE api_keys SET last_used_at = ? WHERE key_id = ?', seconds, key_id)
    const noted = () =>
      env.DB.prepare('SELECT last_used_at FROM api_keys WHERE key_id = ?').bind(key_id).first('last_used_at')
    const now = Math.floor(Date.now() / 1000)
    await note(now - 60)
    await client({ token: secret }).get('/v1/status')
    expect(await noted()).toBe(now - 60)
    await note(now - 700)
    await client({ token: secret }).get('/v1/status')
    expect(await noted()).toBeGreaterThanOrEqual(now)
  })

  test('403 not_enrolled without an active enrollment', async () => {
    const { caller, enroll } = await session()
    await expectError(caller.post(path, input), 403, 'not_enrolled')
    await enroll()
    await expectError(caller.post(path, input), 403, 'not_enrolled')
  })

  test("projects must be the caller's own", async () => {
    const { caller, address } = await enrolled()
    const [own, foreign] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
    const insert = env.DB.prepare(
      "INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at) VALUES (?, ?, 's', 'iot', 'listed', 1)",
    )
    await env.DB.batch([insert.bind(own, address), insert.bind(foreign, '0x')])
    const created = await caller.post(path, { ...input, project_ids: [own] })
    expect(await created.json()).toMatchObject({ project_ids: [own] })
    await expectInvalid(caller.post(path, { ...input, project_ids: [own, foreign] }), 'project_ids[1]')
  })

  test.each([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['everything'] }, 'scopes[0]'],
    ['a scope twice', { scopes: ['modules:write', 'modules:write'] }, 'scopes'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 'name'],
    ['an expiry in the past', { expires_at: 1 }, 'expires_at'],
  ])('400 invalid_field: %s', async (_, change, problem) => {
    const { caller } = await enrolled()
    await expectInvalid(caller.post(path, { ...input, ...change }), problem)
  })

  test('409 conflict: the 51st live key, also in a race; a revoked one makes room', async () => {
    const { caller } = await enrolled()
    for (let i = 0; i < 48; i++) await caller.post(path, input)
    const answers = await Promise.all(Array.from({ length: 4 }, () => caller.post(path, input)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    const { items } = await bodyOf(caller.get(`${path}?limit=1`))
    await caller.fetch(`${path}/${items[0]?.key_id}`, { method: 'DELETE' })
    expect((await caller.post(path, input)).status).toBe(201)
  })
})
