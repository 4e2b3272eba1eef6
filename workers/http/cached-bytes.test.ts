import { expect, test } from 'vitest'
import { png } from '../images/testing/images.ts'
import { signIn } from '../test/callers.ts'
import { bodyOf, client } from '../test/client.ts'
import { failingDatabase } from '../test/failing-database.ts'

const away = {
  DB: failingDatabase(() => true),
  MODULES: { get: async () => Promise.reject(new Error('away')) } as unknown as R2Bucket,
}

test('a cached image is served without the database and the storage', async () => {
  const { client: caller } = await signIn()
  const uploaded = await caller.post('/v1/developers/assets', {
    content_type: 'image/png',
    data_b64: Buffer.from(png()).toString('base64'),
  })
  const path = `/v1/assets/${(await bodyOf(uploaded)).sha256}`
  const first = await client().get(path)
  const bytes = new Uint8Array(await first.arrayBuffer())

  const cut = client({ bindings: away })
  const again = await cut.get(path)
  expect(again.status).toBe(200)
  expect(new Uint8Array(await again.arrayBuffer())).toEqual(bytes)
  for (const name of ['content-type', 'content-length', 'content-security-policy', 'etag', 'cache-control'])
    expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)])

  const held = await cut.get(path, { 'If-None-Match': first.headers.get('etag') ?? '' })
  expect([held.status, await held.text()]).toEqual([304, ''])
})

test('a missing object is not cached', async () => {
  const path = `/v1/assets/${'0'.repeat(64)}`
  expect((await client().get(path)).status).toBe(404)
  expect((await client({ bindings: away }).get(path)).status).toBe(503)
})
