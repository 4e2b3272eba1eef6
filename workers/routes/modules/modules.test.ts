import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { packArtifact } from '../../../protocol/hbc/artifact.ts'
import {
  echoArtifact,
  echoManifest,
  echoWasm,
  hostileArtifacts,
  promisingArtifact,
} from '../../../protocol/hbc/testing/artifacts.ts'
import { namedArtifact } from '../../test/artifact.ts'
import { client, errorOf } from '../../test/client.ts'
import { signIn } from '../../test/wallet.ts'
import { moduleExample } from './schema.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const octets = { 'Content-Type': 'application/octet-stream' }

const stored = async () => ({
  rows: (await env.DB.prepare('SELECT count(*) AS rows FROM modules').first<{ rows: number }>())?.rows,
  objects: (await env.MODULES.list()).objects.length,
})

describe('POST /v1/modules', () => {
  test('stores the artifact and answers its record', async () => {
    const { client: caller, address } = await signIn()
    const { bytes, manifestAddress } = echoArtifact()
    const response = await caller.post('/v1/modules', { hbc_b64: base64(bytes) })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/v1/modules/${manifestAddress}`)
    const record = await response.json()
    expect(record).toEqual({
      ...moduleExample,
      manifest_address: manifestAddress,
      manifest: { ...moduleExample.manifest, manifest_address: manifestAddress },
      hbc_size: bytes.length,
      uploader: address,
      deployed_at: expect.any(Number),
    })
    expect(await (await client().get(`/v1/modules/${manifestAddress}`)).json()).toEqual(record)
    const download = await client().get(`/v1/modules/${manifestAddress}/hbc`)
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes)
  })

  test('409 already_exists names the address', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('twice')
    await caller.post('/v1/modules', { hbc_b64: base64(bytes) })
    const { client: other } = await signIn()
    expect(await errorOf(await other.post('/v1/modules', { hbc_b64: base64(bytes) }))).toMatchObject({
      status: 409,
      error: 'already_exists',
      details: { manifest_address: manifestAddress },
    })
  })

  test('of 50 parallel uploads of one module exactly one is 201', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('raced')
    const body = { hbc_b64: base64(bytes) }
    const statuses = (
      await Promise.all(Array.from({ length: 50 }, () => caller.post('/v1/modules', body)))
    ).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
    expect((await env.MODULES.list({ prefix: `modules/${manifestAddress}/` })).objects).toHaveLength(1)
  })

  test('a repeat with the same Idempotency-Key gets the 201 again', async () => {
    const { client: caller } = await signIn()
    const body = { hbc_b64: base64(namedArtifact('repeated').bytes) }
    const headers = { 'Idempotency-Key': 'upload-1' }
    const [first, again] = [
      await caller.post('/v1/modules', body, headers),
      await caller.post('/v1/modules', body, headers),
    ]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(await again.json()).toEqual(await first.json())
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  test.each(['not base64!', 'UEsDBA=', 'UEsD\nBA==', 'UEsDBB'])(
    '400 invalid_field: the base64 %j',
    async (hbc_b64) => {
      const { client: caller } = await signIn()
      const error = await errorOf(await caller.post('/v1/modules', { hbc_b64 }))
      expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
      expect(error.details?.problems?.[0]?.path).toBe('hbc_b64')
    },
  )

  test.each([
    ['name', 'two\nlines'],
    ['name', 'echo\u202ecbh'],
    ['compiler', 'asc\u0007'],
    ['version', '1\u20282'],
    ['description', 'a\u0000b'],
  ])('400 invalid_field: hidden characters in the %s of its manifest', async (member, text) => {
    const { client: caller } = await signIn()
    const before = await stored()
    const { bytes } = packArtifact({ ...echoManifest, [member]: text }, echoWasm)
    const error = await errorOf(await caller.post('/v1/modules', { hbc_b64: base64(bytes) }))
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems).toMatchObject([{ path: `hbc_b64.manifest.${member}` }])
    expect(await stored()).toEqual(before)
  })

  test('413 too_large: more than 16 MiB decoded, and a body over 24 MiB', async () => {
    const { client: caller } = await signIn()
    for (const bytes of [16 * 1024 * 1024 + 1, 24 * 1024 * 1024])
      expect(
        await errorOf(await caller.post('/v1/modules', { hbc_b64: base64(new Uint8Array(bytes)) })),
      ).toMatchObject({
        status: 413,
        error: 'too_large',
      })
  })

  test.each(hostileArtifacts.map(({ name, rule, bytes }) => [name, rule, bytes] as const))(
    '400 invalid_field, and nothing is stored: %s',
    async (_, rule, bytes) => {
      const { client: caller } = await signIn()
      const before = await stored()
      const error = await errorOf(await caller.post('/v1/modules', { hbc_b64: base64(bytes) }))
      expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
      expect(error.details?.problems?.map(({ code }) => code)).toContain(rule)
      expect(await stored()).toEqual(before)
    },
  )

  test('400 invalid_field: 12 KiB that promise 12 MiB, of which nothing is inflated', async () => {
    const { client: caller } = await signIn()
    const bytes = promisingArtifact(12_234, 12 * 1024 * 1024)
    const error = await errorOf(await caller.post('/v1/modules', { hbc_b64: base64(bytes) }))
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems).toMatchObject([
      { path: 'hbc_b64', code: 'compression_ratio', message: expect.stringContaining('a ratio of 1029') },
    ])
  })

  test('429 rate_limited: more than 60 uploads an hour of one wallet', async () => {
    const { client: caller } = await signIn()
    const statuses = []
    for (let i = 0; i < 61; i++) statuses.push((await caller.post('/v1/modules', { hbc_b64: '' })).status)
    expect(statuses).toEqual([...Array(60).fill(400), 429])
  })
})

describe('PUT /v1/modules/{address}/hbc', () => {
  test('stores the bytes under the address they have', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('as-bytes')
    const put = (address: string) =>
      caller.fetch(`/v1/modules/${address}/hbc`, { method: 'PUT', body: bytes, headers: octets })
    const wrong = await errorOf(await put(`0x${'00'.repeat(32)}`))
    expect(wrong).toMatchObject({
      status: 422,
      error: 'invalid_manifest',
      details: { manifest_address: manifestAddress },
    })
    expect((await put(manifestAddress.replace('0x', '0x').toUpperCase().replace('0X', '0x'))).status).toBe(
      201,
    )
    expect(await errorOf(await put(manifestAddress))).toMatchObject({ status: 409, error: 'already_exists' })
  })

  test('400: another content type, no body, a malformed address', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('refused')
    const put = (address: string, init: RequestInit) =>
      caller.fetch(`/v1/modules/${address}/hbc`, { method: 'PUT', ...init })
    expect(
      await errorOf(
        await put(manifestAddress, { body: bytes, headers: { 'Content-Type': 'application/json' } }),
      ),
    ).toMatchObject({ status: 400, error: 'bad_request' })
    expect(await errorOf(await put(manifestAddress, { headers: octets }))).toMatchObject({
      status: 400,
      error: 'bad_request',
    })
    const malformed = await errorOf(await put('0x12', { body: bytes, headers: octets }))
    expect(malformed).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(malformed.details?.problems?.[0]?.path).toBe('address')
  })

  test('413 too_large: one byte over 16 MiB, with and without a length', async () => {
    const { client: caller } = await signIn()
    const bytes = new Uint8Array(16 * 1024 * 1024 + 1)
    for (const body of [bytes, new Blob([bytes]).stream()])
      expect(
        await errorOf(
          await caller.fetch(`/v1/modules/0x${'00'.repeat(32)}/hbc`, {
            method: 'PUT',
            body,
            headers: octets,
          }),
        ),
      ).toMatchObject({ status: 413, error: 'too_large' })
  })
})

describe('GET /v1/modules/{address}/hbc', () => {
  const upload = async (name: string) => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact(name)
    await caller.post('/v1/modules', { hbc_b64: base64(bytes) })
    return { bytes, manifestAddress, path: `/v1/modules/${manifestAddress}/hbc` }
  }

  test('gives the bytes with their address, to be kept for ever', async () => {
    const { bytes, manifestAddress, path } = await upload('downloaded')
    const response = await client().get(path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'x-manifest-address': manifestAddress,
      etag: `"${manifestAddress}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  test('304 for its ETag, with a credential too', async () => {
    const { manifestAddress, path } = await upload('cached')
    const headers = { 'If-None-Match': `"${manifestAddress}"` }
    const { client: caller } = await signIn()
    for (const { get } of [client(), caller]) {
      const response = await get(path, headers)
      expect([response.status, await response.text()]).toEqual([304, ''])
    }
  })

  test('one range is 206, one past the end 416, several or malformed ones are the whole', async () => {
    const { bytes, manifestAddress, path } = await upload('ranged')
    const size = bytes.length
    const ranged = async (range: string, more = {}) => client().get(path, { Range: range, ...more })
    const part = await ranged('bytes=2-5')
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      `bytes 2-5/${size}`,
      '4',
    ])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(2, 6))
    expect(new Uint8Array(await (await ranged('bytes=-3')).arrayBuffer())).toEqual(bytes.slice(-3))

    const past = await ranged(`bytes=${size}-`)
    expect(past.headers.get('content-range')).toBe(`bytes */${size}`)
    expect(await errorOf(past)).toMatchObject({ status: 416, error: 'invalid_field' })
    for (const range of ['bytes=0-1,3-4', 'bytes=x', 'rows=0-1'])
      expect((await ranged(range)).status).toBe(200)

    expect((await ranged('bytes=0-1', { 'If-Range': `"${manifestAddress}"` })).status).toBe(206)
    expect((await ranged('bytes=0-1', { 'If-Range': '"another"' })).status).toBe(200)
  })

  test('HEAD answers as GET of the whole, whatever range it names', async () => {
    const { bytes, path } = await upload('head-range')
    for (const range of ['bytes=0-3', 'bytes=999999-']) {
      const response = await client().fetch(path, { method: 'HEAD', headers: { Range: range } })
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    }
  })

  test('HEAD tells the size', async () => {
    const { bytes, path } = await upload('head')
    const response = await client().fetch(path, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  test.each([`0x${'ab'.repeat(32)}`, '0x12'])('404 not_found: %s', async (address) => {
    for (const path of [`/v1/modules/${address}`, `/v1/modules/${address}/hbc`])
      expect(await errorOf(await client().get(path))).toMatchObject({ status: 404, error: 'not_found' })
  })

  test('503 unavailable while the storage does not answer; nothing half stored remains visible', async () => {
    const { path } = await upload('faulty')
    const broken = new Proxy(env.MODULES, {
      get: (bucket, property) =>
        property === 'get' || property === 'put'
          ? () => Promise.reject(new Error('R2: internal error'))
          : Reflect.get(bucket, property),
    })
    expect(await errorOf(await client({ bindings: { MODULES: broken } }).get(path))).toMatchObject({
      status: 503,
      error: 'unavailable',
    })

    const { token } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('not-stored')
    const response = await client({ token, bindings: { MODULES: broken } }).post('/v1/modules', {
      hbc_b64: base64(bytes),
    })
    expect(await errorOf(response)).toMatchObject({ status: 503, error: 'unavailable' })
    expect((await client().get(`/v1/modules/${manifestAddress}`)).status).toBe(404)
    expect((await client({ token }).post('/v1/modules', { hbc_b64: base64(bytes) })).status).toBe(201)
  })
})

describe('GET /v1/modules', () => {
  test('pages newest first, each module once, and by uploader', async () => {
    const { client: caller, address } = await signIn()
    const uploaded: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const { bytes, manifestAddress } = namedArtifact(`paged-${name}`)
      await caller.post('/v1/modules', { hbc_b64: base64(bytes) })
      uploaded.push(manifestAddress)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = `developer=${address.toUpperCase().replace('0X', '0x')}&limit=2${cursor && `&cursor=${cursor}`}`
      const page = (await (await client().get(`/v1/modules?${query}`)).json()) as {
        items: { manifest_address: string; deployed_at: number }[]
        next_cursor: string | null
      }
      seen.push(...page.items.map(({ manifest_address }) => manifest_address))
      cursor = page.next_cursor
    }
    expect(seen).toHaveLength(5)
    expect(new Set(seen)).toEqual(new Set(uploaded))
  })

  test('a page stays exact while others upload', async () => {
    const { client: caller, address } = await signIn()
    const upload = (name: string) =>
      caller.post('/v1/modules', { hbc_b64: base64(namedArtifact(name).bytes) })
    for (const name of ['w', 'x', 'y']) await upload(`exact-${name}`)
    const list = async (query: string) =>
      (await (await client().get(`/v1/modules?developer=${address}&limit=2${query}`)).json()) as {
        items: { manifest_address: string }[]
        next_cursor: string
      }
    const first = await list('')
    await upload('exact-z')
    const second = await list(`&cursor=${first.next_cursor}`)
    const names = [...first.items, ...second.items].map(({ manifest_address }) => manifest_address)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(['limit=0', 'limit=201', 'limit=ten', 'limit=', 'cursor=abc', 'developer=0x12'])(
    '400 invalid_field: %s',
    async (query) => {
      const error = await errorOf(await client().get(`/v1/modules?${query}`))
      expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
      expect(error.details?.problems?.[0]?.path).toBe(query.split('=')[0])
    },
  )

  test('400 invalid_field: a cursor of other filters', async () => {
    const { client: caller, address } = await signIn()
    for (const name of ['p', 'q'])
      await caller.post('/v1/modules', { hbc_b64: base64(namedArtifact(`filters-${name}`).bytes) })
    const { next_cursor } = (await (
      await client().get(`/v1/modules?developer=${address}&limit=1`)
    ).json()) as { next_cursor: string }
    expect((await client().get(`/v1/modules?limit=1&cursor=${next_cursor}`)).status).toBe(400)
  })
})
