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
import { signIn } from '../../test/callers.ts'
import {
  atOnce,
  bodyOf,
  type Client,
  client,
  expectInvalid,
  expectRefusal,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import { rowOf } from '../../test/tables.ts'
import { moduleExample } from './schema.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const octets = { 'Content-Type': 'application/octet-stream' }

const upload = (caller: Client, bytes: Uint8Array) => caller.post('/v1/modules', { hbc_b64: base64(bytes) })

/** A signed-in wallet for tests that need no other; the next one before it has had its 60 uploads of an hour. */
let uploader = { caller: client(), tests: Infinity }
async function anyUploader(): Promise<Client> {
  uploader.tests += 1
  if (uploader.tests > 20) uploader = { caller: (await signIn()).client, tests: 1 }
  return uploader.caller
}

const stored = async () => ({
  rows: (await rowOf<{ rows: number }>('SELECT count(*) AS rows FROM modules'))?.rows,
  objects: (await env.MODULES.list()).objects.length,
})

describe('POST /v1/modules', () => {
  test('stores the artifact and answers its record', async () => {
    const { client: caller, address } = await signIn()
    const { bytes, manifestAddress } = echoArtifact()
    const response = await upload(caller, bytes)
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
    expect(await bodyOf(client().get(`/v1/modules/${manifestAddress}`))).toEqual(record)
    const download = await client().get(`/v1/modules/${manifestAddress}/hbc`)
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes)
  })

  test('409 already_exists names the address', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('twice')
    await upload(caller, bytes)
    const { client: other } = await signIn()
    await expectRefusal(upload(other, bytes), '409 already_exists', {
      details: { manifest_address: manifestAddress },
    })
  })

  test('of 50 parallel uploads of one module exactly one is 201', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('raced')
    const body = { hbc_b64: base64(bytes) }
    expect(await statusesOf(atOnce(50, () => caller.post('/v1/modules', body)))).toEqual([
      201,
      ...Array(49).fill(409),
    ])
    expect((await env.MODULES.list({ prefix: `modules/${manifestAddress}/` })).objects).toHaveLength(1)
  })

  test('a repeat with the same Idempotency-Key gets the 201 again', async () => {
    const { client: caller } = await signIn()
    const body = { hbc_b64: base64(namedArtifact('repeated').bytes) }
    const headers = { 'Idempotency-Key': 'upload-1' }
    const first = await caller.post('/v1/modules', body, headers)
    const again = await caller.post('/v1/modules', body, headers)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(await again.json()).toEqual(await first.json())
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  test.each(['not base64!', 'UEsDBA=', 'UEsD\nBA==', 'UEsDBB'])(
    '400 invalid_field: the base64 %j',
    async (hbc_b64) => {
      const caller = await anyUploader()
      await expectInvalid(caller.post('/v1/modules', { hbc_b64 }), 'hbc_b64')
    },
  )

  test.each([
    ['name', 'two\nlines'],
    ['name', 'echo\u202ecbh'],
    ['compiler', 'asc\u0007'],
    ['version', '1\u20282'],
    ['description', 'a\u0000b'],
  ])('400 invalid_field: hidden characters in the %s of its manifest', async (member, text) => {
    const caller = await anyUploader()
    const before = await stored()
    const { bytes } = packArtifact({ ...echoManifest, [member]: text }, echoWasm)
    await expectInvalid(upload(caller, bytes), `hbc_b64.manifest.${member}`)
    expect(await stored()).toEqual(before)
  })

  test('413 too_large: more than 16 MiB decoded, and a body over 24 MiB', async () => {
    const caller = await anyUploader()
    for (const bytes of [16 * 1024 * 1024 + 1, 24 * 1024 * 1024])
      await expectRefusal(upload(caller, new Uint8Array(bytes)), '413 too_large')
  })

  test.each(hostileArtifacts.map(({ name, rule, bytes }) => [name, rule, bytes] as const))(
    '400 invalid_field, and nothing is stored: %s',
    async (_, rule, bytes) => {
      const caller = await anyUploader()
      const before = await stored()
      const error = await expectRefusal(upload(caller, bytes), '400 invalid_field')
      expect(error.details?.problems?.map(({ code }) => code)).toContain(rule)
      expect(await stored()).toEqual(before)
    },
  )

  test('400 invalid_field: 12 KiB that would inflate to 12 MiB are refused without inflating', async () => {
    const caller = await anyUploader()
    const bytes = promisingArtifact(12_234, 12 * 1024 * 1024)
    const message = expect.stringContaining('a ratio of 1029')
    await expectRefusal(upload(caller, bytes), '400 invalid_field', {
      details: { problems: [{ path: 'hbc_b64', code: 'compression_ratio', message }] },
    })
  })

  test('429 rate_limited: more than 60 uploads an hour of one wallet', async () => {
    const { client: caller } = await signIn()
    const statuses = []
    for (let i = 0; i < 61; i++) statuses.push((await caller.post('/v1/modules', { hbc_b64: '' })).status)
    expect(statuses).toEqual([...Array(60).fill(400), 429])
  })
})

describe('PUT /v1/modules/{address}/hbc', () => {
  test('stores the bytes under their own address', async () => {
    const { client: caller } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('as-bytes')
    const put = (address: string) =>
      caller.fetch(`/v1/modules/${address}/hbc`, { method: 'PUT', body: bytes, headers: octets })
    await expectRefusal(put(`0x${'00'.repeat(32)}`), '422 invalid_manifest', {
      details: { manifest_address: manifestAddress },
    })
    expect((await put(manifestAddress.toUpperCase().replace('0X', '0x'))).status).toBe(201)
    await expectRefusal(put(manifestAddress), '409 already_exists')
  })

  test('400: another content type, no body, a malformed address', async () => {
    const caller = await anyUploader()
    const { bytes, manifestAddress } = namedArtifact('refused')
    const put = (address: string, init: RequestInit) =>
      caller.fetch(`/v1/modules/${address}/hbc`, { method: 'PUT', ...init })
    const headers = { 'Content-Type': 'application/json' }
    await expectRefusal(put(manifestAddress, { body: bytes, headers }), '400 bad_request')
    await expectRefusal(put(manifestAddress, { headers: octets }), '400 bad_request')
    await expectInvalid(put('0x12', { body: bytes, headers: octets }), 'address')
  })

  test('413 too_large: one byte over 16 MiB, with and without a length', async () => {
    const caller = await anyUploader()
    const bytes = new Uint8Array(16 * 1024 * 1024 + 1)
    const path = `/v1/modules/0x${'00'.repeat(32)}/hbc`
    for (const body of [bytes, new Blob([bytes]).stream()])
      await expectRefusal(caller.fetch(path, { method: 'PUT', body, headers: octets }), '413 too_large')
  })
})

describe('GET /v1/modules/{address}/hbc', () => {
  const uploadNamed = async (name: string) => {
    const caller = await anyUploader()
    const { bytes, manifestAddress } = namedArtifact(name)
    await upload(caller, bytes)
    return { bytes, manifestAddress, path: `/v1/modules/${manifestAddress}/hbc` }
  }

  test('returns the bytes with their address, as immutable', async () => {
    const { bytes, manifestAddress, path } = await uploadNamed('downloaded')
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

  test('304 for its ETag, also with a credential', async () => {
    const { manifestAddress, path } = await uploadNamed('cached')
    const headers = { 'If-None-Match': `"${manifestAddress}"` }
    const { client: caller } = await signIn()
    for (const { get } of [client(), caller]) {
      const response = await get(path, headers)
      expect([response.status, await response.text()]).toEqual([304, ''])
    }
  })

  test('206 for one range, 416 for a range past the end, the whole for several or malformed ranges', async () => {
    const { bytes, manifestAddress, path } = await uploadNamed('ranged')
    const size = bytes.length
    const ranged = async (range: string, more = {}) => client().get(path, { Range: range, ...more })
    const part = await ranged('bytes=2-5')
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 2-5/${size}`)
    expect(part.headers.get('content-length')).toBe('4')
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(2, 6))
    expect(new Uint8Array(await (await ranged('bytes=-3')).arrayBuffer())).toEqual(bytes.slice(-3))

    const past = await ranged(`bytes=${size}-`)
    expect(past.headers.get('content-range')).toBe(`bytes */${size}`)
    await expectRefusal(past, '416 invalid_field')
    for (const range of ['bytes=0-1,3-4', 'bytes=x', 'rows=0-1'])
      expect((await ranged(range)).status).toBe(200)

    expect((await ranged('bytes=0-1', { 'If-Range': `"${manifestAddress}"` })).status).toBe(206)
    expect((await ranged('bytes=0-1', { 'If-Range': '"another"' })).status).toBe(200)
  })

  test('HEAD returns the size of the whole, even with a range', async () => {
    const { bytes, path } = await uploadNamed('head')
    for (const headers of [{}, { Range: 'bytes=0-3' }, { Range: 'bytes=999999-' }]) {
      const response = await client().fetch(path, { method: 'HEAD', headers })
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    }
  })

  test.each([`0x${'ab'.repeat(32)}`, '0x12'])('404 not_found: %s', async (address) => {
    for (const path of [`/v1/modules/${address}`, `/v1/modules/${address}/hbc`])
      await expectRefusal(client().get(path), '404 not_found')
  })

  test('503 unavailable while the storage does not answer; a partly stored module is not visible', async () => {
    const { path } = await uploadNamed('faulty')
    const broken = new Proxy(env.MODULES, {
      get: (bucket, property) =>
        property === 'get' || property === 'put'
          ? () => Promise.reject(new Error('R2: internal error'))
          : Reflect.get(bucket, property),
    })
    await expectRefusal(client({ bindings: { MODULES: broken } }).get(path), '503 unavailable')

    const { token } = await signIn()
    const { bytes, manifestAddress } = namedArtifact('not-stored')
    const faulty = client({ token, bindings: { MODULES: broken } })
    await expectRefusal(upload(faulty, bytes), '503 unavailable')
    expect((await client().get(`/v1/modules/${manifestAddress}`)).status).toBe(404)
    expect((await upload(client({ token }), bytes)).status).toBe(201)
  })
})

describe('GET /v1/modules', () => {
  const list = (query: string) => bodyOf(client().get(`/v1/modules?${query}`))
  /** A wallet that uploaded modules of these names, one after the other. */
  const createUploader = async (...names: string[]) => {
    const { client: caller, address } = await signIn()
    const add = async (name: string) => {
      const { bytes, manifestAddress } = namedArtifact(name)
      await upload(caller, bytes)
      return manifestAddress
    }
    const uploaded: string[] = []
    for (const name of names) uploaded.push(await add(name))
    return { address, add, uploaded }
  }

  test('lists each module of an uploader once, in pages, also while others upload', async () => {
    const { address, add, uploaded } = await createUploader(
      'paged-a',
      'paged-b',
      'paged-c',
      'paged-d',
      'paged-e',
    )
    const developer = address.toUpperCase().replace('0X', '0x')
    const read = (cursor: string) => list(`developer=${developer}&limit=2${cursor}`)
    const pages = await pagesOf(client(), `/v1/modules?developer=${developer}`, 2)
    const seen = pages.flat().map(({ manifest_address }) => manifest_address)
    expect(seen).toHaveLength(5)
    expect(new Set(seen)).toEqual(new Set(uploaded))
    const first = await read('')
    await add('exact-z')
    const second = await read(`&cursor=${first.next_cursor}`)
    const names = [...first.items, ...second.items].map(({ manifest_address }) => manifest_address)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(['limit=0', 'limit=201', 'limit=ten', 'limit=', 'cursor=abc', 'developer=0x12'])(
    '400 invalid_field: %s',
    async (query) => {
      await expectInvalid(client().get(`/v1/modules?${query}`), query.split('=')[0] ?? '')
    },
  )

  test('400 invalid_field: a cursor of other filters', async () => {
    const { address } = await createUploader('filters-p', 'filters-q')
    const { next_cursor } = await list(`developer=${address}&limit=1`)
    expect((await client().get(`/v1/modules?limit=1&cursor=${next_cursor}`)).status).toBe(400)
  })
})
