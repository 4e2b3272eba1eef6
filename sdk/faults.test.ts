import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Client } from './client.ts'
import { withDeadline } from './deadline.ts'
import {
  AnswerError,
  Conflict,
  createHub,
  DeadlineError,
  HubError,
  InvalidField,
  NotFound,
  RateLimited,
  Refusal,
  Unavailable,
  UnreachableError,
} from './index.ts'
import { collectGarbage } from './testing/collect-garbage.ts'
import { cutBefore, cutWithin, json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'

const soon = { pause: 1 }
const draft = { project_id: null, step: 1, data: {} } as never
const drip = (hub: ReturnType<typeof createHub>) => hub.call('POST /v1/faucet/drip')

/** The error that a call throws. */
const failure = async (call: Promise<unknown>): Promise<HubError> => {
  const error = await call.then(
    () => null,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(HubError)
  return error
}

describe('a call that may be repeated is sent again, and acts once', () => {
  test.each<[string, Reply]>([
    ['429', refusal(429, 'rate_limited', { 'Retry-After': '0' })],
    ['429 with a date', refusal(429, 'rate_limited', { 'Retry-After': new Date(0).toUTCString() })],
    ['503 with Retry-After', refusal(503, 'unavailable', { 'Retry-After': '0' })],
    ['503 without Retry-After', refusal(503, 'unavailable')],
    ['409 while the first try runs', refusal(409, 'conflict', { 'Retry-After': '0' })],
    ['500', refusal(500, 'internal')],
    ['502 of a proxy', (response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>')],
    ['a connection that breaks', cutBefore],
    ['a body that breaks off', cutWithin],
  ])('after %s', async (_, fault) => {
    await using server = await scriptedHub(fault, json(202, { status: 'queued' }))
    const hub = createHub({ url: server.url, retry: soon })
    expect(await drip(hub)).toEqual({ status: 'queued' })
    const keys = server.calls.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('a DELETE that gets 404 on the second try has succeeded', async () => {
    await using server = await scriptedHub(cutBefore, refusal(404, 'not_found'))
    const hub = createHub({ url: server.url, retry: soon })
    await hub.call('DELETE /v1/developers/api-keys/{key_id}', { path: { key_id: 'k' } })
    expect(server.calls).toHaveLength(2)
  })

  test('but a DELETE that was only rate-limited before fails with 404', async () => {
    await using server = await scriptedHub(
      refusal(429, 'rate_limited', { 'Retry-After': '0' }),
      refusal(404, 'not_found'),
    )
    const call = createHub({ url: server.url, retry: soon }).call('DELETE /v1/developers/api-keys/{key_id}', {
      path: { key_id: 'k' },
    })
    expect(await failure(call)).toBeInstanceOf(NotFound)
    expect(server.calls).toHaveLength(2)
  })
})

describe('a call is sent', () => {
  test('by calling fetch as a plain function, and its errors become UnreachableError', async () => {
    await using server = await scriptedHub(json(200, { status: 'ok' }))
    const likeOfBrowser = function (this: unknown, request: Request) {
      if (this !== undefined) throw new TypeError('Illegal invocation')
      return fetch(request)
    }
    const hub = createHub({ url: server.url, fetch: likeOfBrowser })
    expect(await hub.call('GET /v1/status')).toEqual({ status: 'ok' })
    const broken = createHub({
      url: server.url,
      retry: { attempts: 1 },
      fetch: () => {
        throw new Error('at once')
      },
    })
    expect(await failure(broken.call('GET /v1/status'))).toBeInstanceOf(UnreachableError)
  })

  test.each([301, 302, 307, 308])(
    'only to the hub: a redirect %i is reported, not followed',
    async (status) => {
      await using server = await scriptedHub((response) =>
        response.writeHead(status, { Location: 'https://other.test/' }).end(),
      )
      for (const call of [drip(createHub({ url: server.url })), createHub({ url: server.url }).network()]) {
        const error = await failure(call)
        expect(error).toBeInstanceOf(AnswerError)
        expect(error.message).toContain('redirect to https://other.test/')
      }
      expect(server.calls).toHaveLength(2)
    },
  )

  test.each(['', '.', '..'])(
    'only to its own path: %j is refused as a path parameter',
    async (project_id) => {
      await using server = await scriptedHub(json(200, {}))
      const call = createHub({ url: server.url }).call('GET /v1/projects/{project_id}', {
        path: { project_id },
      })
      expect((await failure(call)).message).toContain('project_id')
      expect(server.calls).toEqual([])
    },
  )

  test('for one caller: a key together with a session is refused', () => {
    expect(() => createHub({ url: 'https://hub.test', apiKey: 'k', session: 's' })).toThrow(HubError)
  })

  test.each(['hub.example', 'ftp://hub.example', 'https://'])('only to a valid URL, not to %s', (url) => {
    expect(() => createHub({ url })).toThrow(HubError)
  })
})

describe('no call acts twice', () => {
  const post = (hub: ReturnType<typeof createHub>, options = {}) =>
    hub.call('POST /v1/auth/siwe', { body: { message: 'm', signature: '0x' }, ...options })

  test.each<[string, Reply, new (...args: never[]) => Error]>([
    ['a connection that breaks', cutBefore, UnreachableError],
    ['a body that breaks off', cutWithin, UnreachableError],
    ['503', refusal(503, 'unavailable', { 'Retry-After': '0' }), Unavailable],
  ])('a call without a key is not sent again after %s', async (_, fault, kind) => {
    await using server = await scriptedHub(fault)
    expect(await failure(post(createHub({ url: server.url, retry: soon })))).toBeInstanceOf(kind)
    expect(server.calls).toHaveLength(1)
  })

  test('but a call without a key is sent again after 429, because nothing was done', async () => {
    await using server = await scriptedHub(
      refusal(429, 'rate_limited', { 'Retry-After': '0' }),
      json(200, {}),
    )
    await post(createHub({ url: server.url, retry: soon }))
    expect(server.calls).toHaveLength(2)
  })

  test('every call has its own key, even on a page without TLS, which has no crypto.randomUUID', async () => {
    const { randomUUID } = crypto
    onTestFinished(() => void Object.assign(crypto, { randomUUID }))
    Object.assign(crypto, { randomUUID: undefined })
    await using server = await scriptedHub(json(202, {}))
    const hub = createHub({ url: server.url })
    await drip(hub)
    await drip(hub)
    const keys = server.calls.map(({ headers }) => headers['idempotency-key'])
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(keys[0]).not.toBe(keys[1])
  })

  test('the caller can set the key, or send none', async () => {
    await using server = await scriptedHub(json(201, {}))
    const hub = createHub({ url: server.url })
    await hub.call('POST /v1/developers/me/drafts', { body: draft, idempotencyKey: 'mine' })
    await hub.call('POST /v1/developers/me/drafts', { body: draft, idempotencyKey: null })
    expect(server.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', undefined])
    await expect(post(hub, { idempotencyKey: 'mine' })).rejects.toThrow('takes no Idempotency-Key')
  })
})

describe('an error', () => {
  test('has the class of its code, and all details from the hub', async () => {
    const problems = [{ path: 'listing.name', code: 'missing', message: 'is missing' }]
    const details = { problems, doc_url: 'https://hub.test/docs/errors/invalid_field' }
    await using server = await scriptedHub(refusal(400, 'invalid_field', {}, details))
    const error = await failure(createHub({ url: server.url }).call('GET /v1/me'))
    expect(error).toBeInstanceOf(InvalidField)
    expect(error).toMatchObject({
      message: 'GET /v1/me answered 400 invalid_field: No.',
      code: 'invalid_field',
      status: 400,
      field: 'listing.name',
      problems,
      requestId: 'r-1',
      docUrl: details.doc_url,
      retryAfter: undefined,
    })
  })

  test('with an unknown code from a newer hub is a Refusal', async () => {
    await using server = await scriptedHub(refusal(418, 'teapot'))
    const error = await failure(createHub({ url: server.url }).call('GET /v1/me'))
    expect([error.constructor, error.code]).toEqual([Refusal, 'teapot'])
  })

  test.each<[string, Reply]>([
    [
      'a page',
      (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works</h1>'),
    ],
    [
      'half of a document',
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":'),
    ],
    ['JSON of another API', json(404, { reason: 'no' })],
    ['nothing', (response) => response.writeHead(200).end()],
  ])('of a server that answers with %s is not a Refusal', async (_, reply) => {
    await using server = await scriptedHub(reply)
    const error = await failure(createHub({ url: server.url, retry: soon }).call('GET /v1/status'))
    expect(error).toBeInstanceOf(AnswerError)
    expect(server.calls).toHaveLength(1)
  })

  test('comes at once and names the time to wait if that is longer than the timeout', async () => {
    await using server = await scriptedHub(refusal(429, 'rate_limited', { 'Retry-After': '3600' }))
    const error = await failure(createHub({ url: server.url }).call('GET /v1/me'))
    expect([error.constructor, (error as RateLimited).retryAfter]).toEqual([RateLimited, 3600])
    expect(server.calls).toHaveLength(1)
  })

  test('is thrown after the last attempt, or when all calls together have used up the budget', async () => {
    await using server = await scriptedHub(refusal(503, 'unavailable'))
    const hub = createHub({ url: server.url, retry: { ...soon, attempts: 3, budget: 5 } })
    for (let i = 0; i < 5; i++) await failure(hub.call('GET /v1/status'))
    expect(server.calls).toHaveLength(5 + 5)
  })

  test('that is not followed by another try does not use the budget', async () => {
    await using server = await scriptedHub(
      refusal(429, 'rate_limited', { 'Retry-After': '3600' }),
      refusal(503, 'unavailable'),
      json(200, {}),
    )
    const hub = createHub({ url: server.url, retry: { ...soon, budget: 1 } })
    await failure(hub.call('GET /v1/status'))
    expect(await hub.call('GET /v1/status')).toEqual({})
  })

  test('not_found becomes null in find, and other errors are thrown', async () => {
    await using server = await scriptedHub(refusal(404, 'not_found'), refusal(409, 'conflict'))
    const hub = createHub({ url: server.url })
    expect(await hub.find('GET /v1/me')).toBe(null)
    expect(await failure(hub.find('GET /v1/me'))).toBeInstanceOf(Conflict)
    expect(NotFound.prototype).toBeInstanceOf(Refusal)
  })

  test('says why no hub answers', async () => {
    const url = await scriptedHub(cutBefore).then(async (server) => {
      await server[Symbol.asyncDispose]()
      return server.url
    })
    const error = await failure(createHub({ url, retry: { attempts: 1 } }).call('GET /'))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(`No hub answers on ${url}: connect ECONNREFUSED`)
  })
})

describe('the time of a call', () => {
  const never: Reply = (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{')

  test('limits all tries together, even in the middle of a body', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    await using server = await scriptedHub(refusal(503, 'unavailable'), never)
    const fetchSlowly = async (request: Request) => {
      const response = await fetch(request)
      vi.advanceTimersByTime(40_000)
      return response
    }
    const hub = createHub({ url: server.url, retry: soon, fetch: fetchSlowly })
    expect(await failure(hub.call('GET /v1/status', { timeout: 60_000 }))).toBeInstanceOf(DeadlineError)
    expect(server.calls).toHaveLength(2)
  })

  describe('whose credential a person renews', () => {
    const openSlowly = (url: string, isRenewedByPerson: boolean) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
      onTestFinished(() => void vi.useRealTimers())
      let token = 'old'
      const renew = async () => {
        token = 'new'
        vi.advanceTimersByTime(3_600_000)
      }
      const headers = () => ({ Authorization: `Bearer ${token}` })
      return new Client({ url, retry: soon }, { headers, renew, isRenewedByPerson })
    }
    const expired = refusal(401, 'session_expired')

    test('stands still meanwhile, also for the tries that follow', async () => {
      await using server = await scriptedHub(expired, refusal(503, 'unavailable'), json(200, { url: '/' }))
      expect(await openSlowly(server.url, true).call('GET /v1/status')).toEqual({ url: '/' })
      expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer old',
        'Bearer new',
        'Bearer new',
      ])
    })

    test('goes on afterwards', async () => {
      await using server = await scriptedHub(expired, never)
      const call = openSlowly(server.url, true).call('GET /v1/status', { timeout: 100 })
      expect(await failure(call)).toBeInstanceOf(DeadlineError)
      expect(server.calls).toHaveLength(2)
    })

    test('does not stand still if no person does it', async () => {
      await using server = await scriptedHub(expired, json(200, {}))
      expect(await failure(openSlowly(server.url, false).call('GET /v1/status'))).toBeInstanceOf(
        DeadlineError,
      )
    })
  })

  test('leaves no timer running after the answer', async () => {
    await using server = await scriptedHub(json(200, {}))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await createHub({ url: server.url }).call('GET /v1/status')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves nothing at a signal of the caller that lives on', async () => {
    const { signal } = new AbortController()
    const signals: WeakRef<AbortSignal>[] = []
    for (let call = 0; call < 10; call++)
      await withDeadline('', 60_000, signal, async (own) => void signals.push(new WeakRef(own)))
    await collectGarbage()
    expect(signals.filter((one) => one.deref() !== undefined)).toEqual([])
  })

  test.each([Number.POSITIVE_INFINITY, 1500.5, 3e9])('may be %d', async (timeout) => {
    await using server = await scriptedHub(json(200, {}))
    expect(await createHub({ url: server.url, timeout }).call('GET /v1/status')).toEqual({})
    expect(await failure(createHub({ url: server.url }).call('GET /', { timeout: -1 }))).toMatchObject({
      message: expect.stringContaining('timeout must be'),
    })
  })

  test('ends with an error that has the key, so that another call can find the result', async () => {
    await using server = await scriptedHub(never)
    const error = await failure(
      createHub({ url: server.url }).call('POST /v1/faucet/drip', { timeout: 100, idempotencyKey: 'mine' }),
    )
    expect([error.constructor, (error as DeadlineError).idempotencyKey]).toEqual([DeadlineError, 'mine'])
  })

  test('does not end when the signal of another caller of the same request does', async () => {
    await using server = await scriptedHub(json(200, { chain: { id: 31337, contracts: {} } }))
    const hub = createHub({ url: server.url })
    const controller = new AbortController()
    const [first, second] = [hub.network({ signal: controller.signal }), hub.network()]
    const reason = new Error('changed my mind')
    controller.abort(reason)
    await expect(first).rejects.toBe(reason)
    expect((await second).profile.chain_id).toBe(31337)
    expect(server.calls).toHaveLength(1)
  })

  test('ends with the signal of the caller, and the reason of the signal is thrown', async () => {
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const abort: Reply = (response, call) => {
      never(response, call)
      controller.abort(reason)
    }
    await using server = await scriptedHub(abort)
    const { signal } = controller
    await expect(createHub({ url: server.url }).call('GET /v1/status', { signal })).rejects.toBe(reason)
  })
})
