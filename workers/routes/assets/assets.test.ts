import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ascii, jpeg, png, pngChunk, webp } from '../../images/testing/images.ts'
import { signIn } from '../../test/callers.ts'
import { bodyOf, client, errorOf, expectInvalid, expectRefusal, statusesOf } from '../../test/client.ts'

const path = '/v1/developers/assets'
const ada = await signIn()

const upload = (bytes: Uint8Array, content_type = 'image/png', caller = ada.client) =>
  caller.post(path, { content_type, data_b64: Buffer.from(bytes).toString('base64') })
const hexOf = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('hex')

describe('POST /v1/developers/assets', () => {
  test.each([
    ['image/png', () => png({ width: 20 })],
    ['image/jpeg', () => jpeg(20, 20)],
    ['image/webp', () => webp(20, 20)],
  ])('stores %s under the digest of the bytes that it serves', async (type, make) => {
    const bytes = make()
    const response = await upload(bytes, type)
    const sha256 = hexOf(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/v1/assets/${sha256}`)
    expect(await response.json()).toEqual({ sha256, url: `http://localhost:8787/v1/assets/${sha256}` })
    const served = await client().get(`/v1/assets/${sha256}`)
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: `"${sha256}"`,
    })
  })

  test('answers 200 with the same record for the same image, also with other metadata or from another wallet', async () => {
    const bytes = png({ width: 21 })
    const first = await upload(bytes)
    const described = png({ width: 21, before: [pngChunk('tEXt', ascii('Author\0Ada'))] })
    const grace = await signIn()
    for (const again of [
      await upload(bytes),
      await upload(described),
      await upload(bytes, 'image/png', grace.client),
    ]) {
      expect(again.status).toBe(200)
      expect(await again.json()).toEqual(await first.clone().json())
    }
    expect(first.status).toBe(201)
  })

  test('one of ten racing uploads of an image creates it, and all return the same record', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(png({ width: 22 }))))
    expect(await statusesOf(answers)).toEqual([...Array(9).fill(200), 201])
    const records = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(records).size).toBe(1)
  })

  test('413 too_large: one byte more than 2 MiB, and a body of more than 3 MiB', async () => {
    for (const size of [2 * 1024 * 1024 + 1, 3 * 1024 * 1024])
      await expectRefusal(upload(new Uint8Array(size)), '413 too_large')
  })

  test.each<[string, object, ...string[]]>([
    ['bytes that are not an image', { content_type: 'image/png', data_b64: 'AAAA' }, 'data_b64'],
    ['invalid base64', { content_type: 'image/png', data_b64: 'A' }, 'data_b64'],
    ['an SVG', { content_type: 'image/svg+xml', data_b64: 'AAAA' }, 'content_type'],
    ['an empty body', {}, 'content_type', 'data_b64'],
    ['an unknown field', { content_type: 'image/png', data_b64: 'AAAA', name: 'x' }, 'name'],
  ])('400 invalid_field: %s', async (_, body, ...paths) => {
    await expectInvalid(ada.client.post(path, body), ...paths)
  })

  test('503 unavailable when the storage fails, and no record is created', async () => {
    const broken = new Proxy(env.MODULES, {
      get: (bucket, name) =>
        name === 'put' ? () => Promise.reject(new Error('down')) : Reflect.get(bucket, name, bucket),
    })
    const caller = client({ token: ada.token, bindings: { MODULES: broken } })
    const bytes = png({ width: 23 })
    expect(await errorOf(upload(bytes, 'image/png', caller))).toMatchObject({ status: 503 })
    const sha256 = hexOf(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
    expect((await client().get(`/v1/assets/${sha256}`)).status).toBe(404)
    expect((await upload(bytes)).status).toBe(201)
  })
})

describe('GET /v1/assets/{sha256}', () => {
  test('304 for its ETag, HEAD without the bytes, 404 for any other name', async () => {
    const { sha256 } = await bodyOf(upload(png({ width: 24 })))
    expect((await client().get(`/v1/assets/${sha256}`, { 'If-None-Match': `"${sha256}"` })).status).toBe(304)
    const head = await client().fetch(`/v1/assets/${sha256}`, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([200, '', 'image/png'])
    for (const name of ['0'.repeat(64), `0x${sha256}`, 'logo.png'])
      await expectRefusal(client().get(`/v1/assets/${name}`), '404 not_found')
  })
})
