import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { signIn } from '../../test/callers.ts'
import {
  bodyOf,
  client,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'

const path = '/v1/developers/me/drafts'

/** The drafts of a wallet that has none yet. */
async function session() {
  const { client: caller, token } = await signIn()
  return {
    caller,
    token,
    get: (id: string) => caller.get(`${path}/${id}`),
    put: (id: string, draft: object = {}, headers: Record<string, string> = {}) =>
      caller.put(`${path}/${id}`, { data: {}, ...draft }, headers),
    remove: (id: string, headers: Record<string, string> = {}) => caller.delete(`${path}/${id}`, headers),
  }
}

const json = { 'Content-Type': 'application/json' }

describe('drafts', () => {
  test('are created, read, replaced and deleted', async () => {
    const { caller, put, remove } = await session()
    const created = await caller.post(path, { data: { name: 'one' } })
    expect(created.status).toBe(201)
    const draft = await bodyOf(created)
    expect(draft).toEqual({
      draft_id: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
      current_step: 0,
      project_id: null,
      data: { name: 'one' },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    })
    const id: string = draft.draft_id
    const location = created.headers.get('location') ?? ''
    expect(location).toBe(`${path}/${id}`)
    expect(await bodyOf(caller.get(location))).toEqual(draft)

    const replaced = await put(id, { current_step: 3 })
    expect(replaced.status).toBe(200)
    expect(await bodyOf(replaced)).toMatchObject({ draft_id: id, current_step: 3, data: {} })
    expect((await remove(id)).status).toBe(204)
    expect((await caller.get(location)).status).toBe(404)
    expect((await remove(id)).status).toBe(404)
  })

  test('PUT creates under an id that the caller chooses', async () => {
    const { put } = await session()
    const response = await put('my-first_draft')
    expect([response.status, response.headers.get('location')]).toEqual([201, `${path}/my-first_draft`])
  })

  test("another wallet's draft is 404", async () => {
    const [ada, bob] = [await session(), await session()]
    await ada.put('secret', { data: { by: 'ada' } })
    expect((await bob.get('secret')).status).toBe(404)
    expect((await bob.remove('secret')).status).toBe(404)
    expect((await bob.put('secret')).status).toBe(201)
    expect(await bodyOf(ada.get('secret'))).toMatchObject({ data: { by: 'ada' } })
  })

  test('409 conflict when If-Match names an earlier version; of two racing writers one wins', async () => {
    const { put, remove } = await session()
    const stale = { 'If-Match': (await put('raced')).headers.get('etag') ?? '' }
    const racing = [1, 2].map((current_step) => put('raced', { current_step }, stale))
    expect(await statusesOf(racing)).toEqual([200, 409])
    await expectRefusal(remove('raced', stale), '409 conflict')
    await expectRefusal(remove('raced', { 'If-Match': 'x' }), '400 invalid_field')
  })

  test('If-Match takes an ETag that was weakened on its way, as by compression', async () => {
    const { put } = await session()
    const etag = (await put('weak')).headers.get('etag') ?? ''
    expect((await put('weak', { current_step: 1 }, { 'If-Match': `W/${etag}` })).status).toBe(200)
    await expectRefusal(put('weak', {}, { 'If-Match': `W/${etag}` }), '409 conflict')
  })

  test('a draft is returned as it was written: fractions, and members of any name', async () => {
    const { caller, get } = await session()
    const put = (body: string) => caller.fetch(`${path}/odd`, { method: 'PUT', body, headers: json })
    const body = '{"data":{"share":0.25,"tiny":1e-7,"__proto__":{"constructor":[]}}}'
    expect((await put(body)).status).toBe(201)
    expect(await (await get('odd')).text()).toContain(JSON.stringify(JSON.parse(body)).slice(1, -1))
    for (const number of ['1e999', '9007199254740993'])
      await expectRefusal(put(`{"data":{"n":${number}}}`), '400 bad_request')
  })

  test('If-Match: * requires that the draft exists, If-None-Match: * that it does not exist', async () => {
    const drafts = await session()
    const put = (condition: Record<string, string>) => drafts.put('guarded', {}, condition)
    await expectRefusal(put({ 'If-Match': '*' }), '409 conflict')
    expect(await statusesOf([1, 2, 3].map(() => put({ 'If-None-Match': '*' })))).toEqual([201, 409, 409])
    expect((await put({ 'If-Match': '*' })).status).toBe(200)
    for (const wrong of [{ 'If-None-Match': '"1"' }, { 'If-None-Match': '*', 'If-Match': '*' }])
      await expectRefusal(put(wrong), '400 invalid_field')
  })

  test('the ETag of a deleted draft does not match the next draft with the same id', async () => {
    const { put, remove } = await session()
    const old = (await put('again')).headers.get('etag') ?? ''
    await remove('again')
    await put('again')
    expect((await put('again', {}, { 'If-Match': old })).status).toBe(409)
  })

  test('256 KiB are accepted, one byte more is 413 too_large', async () => {
    const { put } = await session()
    const large = (bytes: number) => put('large', { data: { x: 'x'.repeat(bytes - '{"x":""}'.length) } })
    expect((await large(256 * 1024)).status).toBe(201)
    await expectRefusal(large(256 * 1024 + 1), '413 too_large')
  })

  test.each([
    ['letters of one byte', 'x'.repeat(1020)],
    ['letters of three bytes', '漢'.repeat(340)],
  ])('pages of large drafts are limited in bytes, and list each draft once: %s', async (_, kibibyte) => {
    const { caller, put } = await session()
    const kibibytes = [255, 255, 255, 255, 255, 1, 1, 255, 100]
    for (const [index, size] of kibibytes.entries())
      await put(`draft-${index}`, { data: { x: kibibyte.repeat(size) } })
    const pages = await pagesOf(caller, path, 200)
    for (const items of pages) {
      expect(items.length).toBeGreaterThan(0)
      expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(1024 * 1024 + 2000)
    }
    const ids = pages.flat().map(({ draft_id }) => draft_id)
    expect(ids.sort()).toEqual(kibibytes.map((_, index) => `draft-${index}`))
    expect(pages).toHaveLength(2)
  })

  test('a repeat gets exactly the first answer, and the hub does not store the data twice', async () => {
    const { caller } = await session()
    const large = 'x'.repeat(100_000)
    const body = `{"data":{"share":0.25,"__proto__":{"b":[],"a":1},"large":"${large}"},"current_step":1}`
    const headers = { ...json, 'Idempotency-Key': 'large-draft' }
    const post = () => caller.fetch(path, { method: 'POST', body, headers })
    const [first, again] = [await post(), await post()]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const text = await first.text()
    expect(text).toContain(large)
    expect(await again.text()).toBe(text)
    for (const name of ['location', 'etag']) expect(again.headers.get(name)).toBe(first.headers.get(name))
    const size = env.DB.prepare("SELECT length(body) AS size FROM idempotency_keys WHERE key = 'large-draft'")
    expect(await size.first<number>('size')).toBeLessThan(1000)
  })

  test('409 conflict: the draft of a failed try was changed before the repeat', async () => {
    const { caller, token, put } = await session()
    const headers = { 'Idempotency-Key': 'changed-draft' }
    const DB = failingDatabase((sql) => /insert into "drafts"/.test(sql), { carriedOut: true })
    expect((await client({ token, bindings: { DB } }).post(path, { data: { a: 1 } }, headers)).status).toBe(
      503,
    )
    const [{ draft_id }] = (await itemsOf(caller.get(path))) as [{ draft_id: string }]
    await put(draft_id, { data: { a: 2 } })
    const repeated = caller.post(path, { data: { a: 1 } }, headers)
    await expectRefusal(repeated, '409 conflict', { details: { draft_id } })
  })

  test('409 conflict: the 51st draft, also in a race', async () => {
    const { caller } = await session()
    const post = () => caller.post(path, { data: {} })
    for (let i = 0; i < 48; i++) await post()
    expect(await statusesOf(Array.from({ length: 5 }, post))).toEqual([201, 201, 409, 409, 409])
    expect(await itemsOf(caller.get(`${path}?limit=200`))).toHaveLength(50)
  })

  test('are listed last changed first, in pages', async () => {
    const { caller, put } = await session()
    for (const id of ['a', 'b', 'c']) await put(id)
    const pages = await pagesOf(caller, path, 2)
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    const ids = pages.flat().map(({ draft_id }) => draft_id)
    expect(ids.sort()).toEqual(['a', 'b', 'c'])
    // The same list of another wallet, which may have drafts of the same time.
    const { next_cursor } = await bodyOf(caller.get(`${path}?limit=2`))
    const { caller: other } = await session()
    await expectInvalid(other.get(`${path}?limit=2&cursor=${next_cursor}`), 'cursor')
  })
})
