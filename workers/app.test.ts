import { describe, expect, test } from 'vitest'
import { loadRoutes, routes } from './routes/index.ts'
import { client, expectRefusal, freshAddress } from './test/client.ts'

describe('every answer', () => {
  test.each([
    ['a success', '/v1/status'],
    ['a 304', '/v1/network/params'],
    ['an unknown path', '/v1/nothing-here'],
    ['an unauthenticated call', '/v1/auth/session'],
    ['a page', '/docs'],
  ])('%s carries the request id, the rate limit and permits any origin', async (_, path) => {
    const response = await client({ address: freshAddress() }).get(path, { 'If-None-Match': '*' })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(Number(response.headers.get('ratelimit-limit'))).toBe(600)
    expect(Number(response.headers.get('ratelimit-remaining'))).toBe(599)
    expect(Number(response.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('an error names the request it answers, in the header and in the body', async () => {
    const response = await client().get('/v1/nothing-here')
    const error = await expectRefusal(response, '404 not_found')
    expect(error.request_id).toBe(response.headers.get('x-request-id'))
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('paths and methods', () => {
  test('a known path with another method is 405 bad_request and lists the allowed methods', async () => {
    const response = await client().delete('/v1/modules')
    await expectRefusal(response, '405 bad_request')
    expect(response.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
  })

  test('HEAD answers as GET, without a body', async () => {
    const { fetch, get } = client()
    const [head, whole] = [
      await fetch('/v1/network/params', { method: 'HEAD' }),
      await get('/v1/network/params'),
    ]
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
    expect(await head.text()).toBe('')
  })

  test('one trailing slash is tolerated', async () => {
    expect((await client().get('/v1/status/')).status).toBe(200)
  })

  test('a path with broken percent encoding is not found', async () => {
    expect((await client().get('/v1/modules/%E0%A4%A')).status).toBe(404)
  })

  test('an encoded slash does not reach another path', async () => {
    expect((await client().get('/v1%2Fstatus')).status).toBe(404)
  })
})

describe('CORS', () => {
  test('a preflight allows the headers of the API, without credentials', async () => {
    const response = await client().fetch('/v1/modules', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toBe(
      'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    )
    for (const name of [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'X-Hub-Signature',
    ])
      expect(response.headers.get('access-control-allow-headers')).toContain(name)
  })

  test('a preflight allows every header that a call declares and a page can set', async () => {
    const declared = new Set(
      (await loadRoutes()).flatMap(({ declaration }) => Object.keys(declaration.headers ?? {})),
    )
    for (const ofSockets of ['Upgrade', 'Sec-WebSocket-Protocol']) declared.delete(ofSockets)
    const answer = await client().fetch('/v1/events', {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'GET' },
    })
    const allowed = answer.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowed).toEqual(expect.arrayContaining([...declared]))
  })

  test('OPTIONS for an unknown path is 404, but a preflight succeeds so that the page sees the 404 itself', async () => {
    const ask = (headers: Record<string, string>) =>
      client().fetch('/v1/nothing', { method: 'OPTIONS', headers })
    expect((await ask({})).status).toBe(404)
    expect((await ask({ 'Access-Control-Request-Method': 'POST' })).status).toBe(204)
  })

  test('preflights do not count towards the rate limit of calls', async () => {
    const caller = client({ address: freshAddress() })
    const headers = { 'Access-Control-Request-Method': 'POST' }
    await caller.fetch('/v1/modules', { method: 'OPTIONS', headers })
    expect((await caller.get('/v1/network/params')).headers.get('ratelimit-remaining')).toBe('599')
  })

  test('a page may read the headers a client needs', async () => {
    const response = await client().get('/v1/status')
    for (const name of [
      'RateLimit-Remaining',
      'Retry-After',
      'ETag',
      'Location',
      'X-Request-Id',
      'X-Manifest-Address',
    ])
      expect(response.headers.get('access-control-expose-headers')).toContain(name)
  })
})

describe('queries', () => {
  test('an unknown parameter is 400 invalid_field, and the error names it', async () => {
    const error = await expectRefusal(client().get('/v1/modules?developr=0x'), '400 invalid_field')
    expect(error.details?.problems).toEqual([
      { path: 'developr', code: 'unknown_key', message: 'is not a known field; remove it' },
    ])
  })

  test('a parameter given twice is 400 invalid_field', async () => {
    await expectRefusal(client().get('/v1/modules?limit=1&limit=2'), '400 invalid_field')
  })

  test('a parameter named like a built-in property of objects is an unknown parameter', async () => {
    for (const path of ['/v1/modules?__proto__=1', '/v1/status?constructor=1'])
      await expectRefusal(client().get(path), '400 invalid_field')
  })

  test('a call that takes no parameters refuses them', async () => {
    await expectRefusal(client().get('/v1/status?verbose=1'), '400 invalid_field')
  })
})

describe('JSON bodies', () => {
  const post = (
    body: BodyInit | null,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) => client().fetch('/v1/auth/nonce', { method: 'POST', body, headers })

  test.each([
    ['no body', null],
    ['an empty body', ''],
    ['broken JSON', '{"address":'],
    ['a duplicate key', '{"address":"a","address":"b"}'],
    ['a float', '{"address":1.5}'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('%s is 400 bad_request', async (_, body) => {
    await expectRefusal(post(body), '400 bad_request')
  })

  test.each([
    ['another content type', 'text/plain'],
    ['another charset', 'application/json; charset=utf-16'],
  ])('%s is 400 bad_request', async (_, type) => {
    await expectRefusal(post('{}', { 'Content-Type': type }), '400 bad_request')
  })

  test('all wrong fields are reported at once, each by its path', async () => {
    const error = await expectRefusal(
      post('{"address":"0xABC","extra":1,"__proto__":{}}'),
      '400 invalid_field',
    )
    expect(error.details?.problems?.map(({ path, code }) => [path, code])).toEqual([
      ['address', 'invalid_value'],
      ['domain', 'missing'],
      ['extra', 'unknown_key'],
      ['__proto__', 'unknown_key'],
    ])
  })

  test('the answer to a large, deeply nested body is smaller than the body', async () => {
    const body = `${'{"'.concat('k'.repeat(16_000), '":').repeat(60)}x`
    const response = await post(body)
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(1000)
  })

  test('a body over 1 MiB is 413 too_large, also when it is sent in chunks without a length', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      },
    })
    const response = await post(endless)
    await expectRefusal(response, '413 too_large')
    // The rest was never read.
    expect(chunks).toBeLessThan(32)

    await expectRefusal(post(' '.repeat(1024 * 1024 + 1)), '413 too_large')
  })

  test('a call that takes no body accepts an empty one and refuses another', async () => {
    const { fetch } = client()
    const headers = { 'Content-Type': 'application/json' }
    const logout = (body: string) => fetch('/v1/auth/logout', { method: 'POST', body, headers })
    // 401 comes first: without a session, a caller does not learn whether the body is acceptable.
    expect((await logout('')).status).toBe(401)
    expect((await logout('{"x":1}')).status).toBe(401)
  })
})

test('every route is listed under the method and the path that its file declares', async () => {
  const declared = (await loadRoutes()).map(({ declaration: { method, path } }) => ({ method, path }))
  expect(routes).toEqual(declared.map((place) => expect.objectContaining(place)))
})

// The same evidence again is the same record, by its content; the validators of a network begin once.
const idempotentByContent = ['createSlash', 'beginValidators']

test('every POST that creates something honours Idempotency-Key', async () => {
  const without = (await loadRoutes())
    .map(({ declaration }) => declaration)
    .filter(({ method, responses, idempotent }) => method === 'post' && 201 in responses && !idempotent)
  expect(without.map(({ operationId }) => operationId)).toEqual(idempotentByContent)
})
