import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { causes } from '../../protocol/causes.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { errorCodes } from '../../protocol/errors.ts'
import { deriveNodeId, type Profile, resolveProfile, signRequest } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { GaslessPayload } from '../actions/gasless-schema.ts'
import { Transaction } from '../actions/transaction.ts'
import { jsonBytesMax } from '../http/body.ts'
import { hashSecret } from '../middleware/authenticate.ts'
import type { RouteDeclaration } from '../route.ts'
import { services } from '../services.ts'
import { freshNonce, insertNode, signIn } from '../test/callers.ts'
import { baseUrl, type Client, client, expectRefusal, freshAddress } from '../test/client.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { runSql } from '../test/tables.ts'
import { loadRoutes } from './index.ts'

/**
 * Errors that come from what every route is run by, provoked on every route they can come from. A new route is held
 * against them by being in the list of routes.
 */

const profile = resolveProfile()
const secretKey = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

/** One wallet, which is a user and an operator, and a session of it that has ended. */
let caller: { address: string; token: string; expired: string }
/** One client for all calls without a fault, with a budget that lasts: each client address costs a Durable Object. */
let hub: Client
beforeAll(async () => {
  const { address, token } = await signIn()
  const expired = `${profile.session_token_prefix}${'E'.repeat(43)}`
  await runSql('INSERT INTO sessions VALUES (?, ?, 1, 2, NULL)', hashSecret(expired), address)
  const publicKey = ed25519PublicKey(secretKey)
  await insertNode({ nodeId: deriveNodeId(profile, publicKey), publicKey })
  caller = { address, token, expired }
  hub = client({ bindings: { OPERATOR_ADDRESSES: address, RATE_LIMIT_MULTIPLIER: '1000' } })
})

interface Call {
  path?: string
  query?: string
  body?: string | Uint8Array | undefined
  headers?: Record<string, string>
  by?: Client
}

/** The path with the values that the document gives as examples. */
const examplePath = ({ path, params }: RouteDeclaration): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = params?.shape[name]?.meta() ?? {}
    return String(example).replace(/\{\{(\w+)\}\}/g, (_, member: string) =>
      String(profile[member as keyof Profile]),
    )
  })

const exampleBody = ({ json }: RouteDeclaration): string | undefined => json && JSON.stringify(json.example)

/** A call of the route, by nobody; a body goes as the type the route takes unless the headers say otherwise. */
function call(declaration: RouteDeclaration, change: Call = {}): Promise<Response> {
  const { method, raw } = declaration
  const { path = examplePath(declaration), query = '', headers = {}, by = hub } = change
  const body = 'body' in change ? change.body : exampleBody(declaration)
  const type = raw ? raw.contentType : 'application/json'
  return by.fetch(path + query, {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { 'Content-Type': type }), ...headers },
    ...(body !== undefined && { body }),
  })
}

/** A call of the route by somebody whom it takes. */
function acceptedCall(declaration: RouteDeclaration, change: Call = {}): Promise<Response> {
  const { auth } = declaration
  if (!auth) return call(declaration, change)
  const credential =
    auth.session || auth.operator
      ? { Authorization: `Bearer ${caller.token}` }
      : nodeHeaders(declaration, `${change.path ?? examplePath(declaration)}${change.query ?? ''}`, change)
  return call(declaration, { ...change, headers: { ...credential, ...change.headers } })
}

const nodeHeaders = (declaration: RouteDeclaration, target: string, change: Call = {}) =>
  signRequest(profile, secretKey, {
    method: declaration.method.toUpperCase(),
    target,
    body: ('body' in change ? change.body : exampleBody(declaration)) ?? '',
    timestamp: unixNow(),
    nonce: freshNonce(),
  }).headers

const takesNoBody = ({ method, json, raw }: RouteDeclaration) => method !== 'get' && !json && !raw
/** Gasless routes check the state of a record before the body. */
const isGasless = ({ responses }: RouteDeclaration) =>
  responses[200]?.schema === GaslessPayload || responses[202]?.schema === Transaction
const isParsedFirst = (declaration: RouteDeclaration) => declaration.json && !isGasless(declaration)
const needsBody = (declaration: RouteDeclaration) =>
  declaration.raw || (isParsedFirst(declaration) && !declaration.json?.optional)

interface Provocation {
  refusal: string
  by: string
  of?: (declaration: RouteDeclaration) => unknown
  provoke: (declaration: RouteDeclaration) => Promise<Response>
  also?: (error: Awaited<ReturnType<typeof expectRefusal>>) => void
}

const saysWhenToComeBack = ({ headers }: { headers: Headers }) =>
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)

const misconfigured = client({ bindings: { BASE_URL: 'nonsense' } })
/** Its limiter answers what no version of it does, which the hub has no words for. */
const broken = client({
  bindings: { RATE_LIMITER: { getByName: () => ({ take: async () => null }) } as never },
})
const withoutDatabase = client({
  bindings: { DB: failingDatabase(() => true), RATE_LIMIT_MULTIPLIER: '1000' },
})
const take = () => Promise.reject(new Error('Durable Object is overloaded'))
const withoutLimiter = client({ bindings: { RATE_LIMITER: { getByName: () => ({ take }) } as never } })

let spent = client({ address: freshAddress() })
/** A client whose address has no budget left for a while. It is the same one until its window is about to end. */
async function spentClient(): Promise<Client> {
  const { resetMs } = await env.RATE_LIMITER.getByName(`anonymous:${spent.from}`).take({
    limit: 600,
    windowSeconds: 60,
    tokens: 600,
  })
  if (resetMs > 30_000) return spent
  spent = client({ address: freshAddress() })
  return spentClient()
}

/** With ids in its path that no format allows. */
const callMalformed = (declaration: RouteDeclaration) =>
  acceptedCall(declaration, { path: declaration.path.replaceAll(/\{\w+\}/g, '~') })

/** Parameters that calls cannot do without. */
const needed: Record<string, string> = { getLeaderboard: '&metric=units', search: '&q=ab' }

/** Every address has balances; only a text that is not an address is not found. */
const namesAnything = new Set(['getBalances'])

const provocations: Provocation[] = [
  {
    refusal: '400 invalid_field',
    by: 'an unknown parameter',
    provoke: (declaration) =>
      acceptedCall(declaration, { query: `?surplus=1${needed[declaration.operationId] ?? ''}` }),
    also: ({ details }) => expect(details?.problems).toMatchObject([{ path: 'surplus' }]),
  },
  {
    refusal: '400 invalid_field',
    by: 'an unknown member',
    of: isParsedFirst,
    provoke: (declaration) =>
      acceptedCall(declaration, {
        body: JSON.stringify({ ...(declaration.json?.example as object), surplus: 1 }),
      }),
    also: ({ details }) =>
      expect(details?.problems).toMatchObject([expect.objectContaining({ path: 'surplus' })]),
  },
  {
    refusal: '400 invalid_field',
    by: 'a malformed id in the path of a write',
    of: ({ method, path }) => method !== 'get' && path.includes('{'),
    provoke: callMalformed,
  },
  {
    refusal: '404 not_found',
    by: 'a malformed id in the path of a read',
    of: ({ method, path }) => method === 'get' && path.includes('{'),
    provoke: callMalformed,
  },
  {
    refusal: '404 not_found',
    by: 'an unknown id',
    // A node that names another one is refused whether that one is there or not.
    of: ({ params, errors, auth, operationId }) =>
      params && errors?.includes('not_found') && !auth?.node && !namesAnything.has(operationId),
    provoke: acceptedCall,
  },
  {
    refusal: '400 bad_request',
    by: 'a body of another content type',
    of: ({ raw, ...declaration }) => raw || isParsedFirst(declaration),
    provoke: (declaration) =>
      acceptedCall(declaration, { body: '{}', headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    refusal: '400 bad_request',
    by: 'a missing body',
    of: needsBody,
    provoke: (declaration) =>
      acceptedCall(declaration, {
        body: undefined,
        headers: { 'Content-Type': declaration.raw?.contentType ?? 'application/json' },
      }),
  },
  {
    refusal: '400 bad_request',
    by: 'broken JSON',
    of: isParsedFirst,
    provoke: (declaration) => acceptedCall(declaration, { body: '{"a":' }),
  },
  {
    refusal: '400 bad_request',
    by: 'a body on a route that accepts none',
    of: takesNoBody,
    provoke: (declaration) => acceptedCall(declaration, { body: '{"surplus":1}' }),
  },
  {
    refusal: '413 too_large',
    by: 'a body of one byte more than the limit of the route',
    of: ({ method }) => method !== 'get',
    provoke: (declaration) => {
      const bytesMax = declaration.raw?.bytesMax ?? declaration.json?.bytesMax ?? jsonBytesMax
      return acceptedCall(declaration, {
        body: '{}',
        headers: { 'Content-Length': String(bytesMax + 1) },
      })
    },
  },
  {
    refusal: '415 bad_request',
    by: 'a body that is compressed',
    of: ({ method }) => method !== 'get',
    provoke: (declaration) => acceptedCall(declaration, { headers: { 'Content-Encoding': 'gzip' } }),
    also: ({ headers }) => expect(headers.get('accept-encoding')).toBe('identity'),
  },
  {
    refusal: '401 unauthorized',
    by: 'an unknown token',
    provoke: (declaration) =>
      call(declaration, { headers: { Authorization: `Bearer ${caller.expired.replaceAll('E', 'U')}` } }),
  },
  {
    refusal: '401 session_expired',
    by: 'a session that has ended',
    provoke: (declaration) => call(declaration, { headers: { Authorization: `Bearer ${caller.expired}` } }),
  },
  {
    refusal: '401 bad_signature',
    by: 'a node signature of another request',
    provoke: (declaration) => call(declaration, { headers: nodeHeaders(declaration, '/v1/another') }),
  },
  {
    refusal: '409 conflict',
    by: 'an Idempotency-Key of another request',
    of: ({ idempotent }) => idempotent,
    provoke: async (declaration) => {
      const key = declaration.operationId
      const another = {
        caller: caller.address,
        key,
        requestHash: 'of another',
        requestId: '',
        operationId: '',
      }
      await services(env).idempotencyKeys.claim(another, unixNow())
      // Open routes know a caller by the credential that it sends along.
      const headers = { 'Idempotency-Key': key, Authorization: `Bearer ${caller.token}` }
      return acceptedCall(declaration, { headers })
    },
  },
  {
    refusal: '429 rate_limited',
    by: 'a client address without budget left',
    provoke: async (declaration) => call(declaration, { by: await spentClient() }),
    also: (error) => {
      saysWhenToComeBack(error)
      expect(error.headers.get('ratelimit-remaining')).toBe('0')
    },
  },
  {
    refusal: '503 unavailable',
    by: 'settings of the hub that cannot be read',
    provoke: (declaration) => call(declaration, { by: misconfigured }),
    also: (error) => {
      saysWhenToComeBack(error)
      expect(error.message).toContain('BASE_URL')
      expect(error.message).not.toMatch(/nonsense/)
      expect(error.details).toBeUndefined()
    },
  },
  {
    refusal: '500 internal',
    by: 'a fault of the hub',
    provoke: (declaration) => call(declaration, { by: broken }),
    also: ({ message }) => expect(message).not.toMatch(/undefined|null/),
  },
  {
    refusal: '503 unavailable',
    by: 'a rate limiter that does not answer',
    provoke: (declaration) => call(declaration, { by: withoutLimiter }),
    also: saysWhenToComeBack,
  },
  {
    refusal: '503 unavailable',
    by: 'a database that does not answer',
    of: ({ auth }) => auth,
    provoke: (declaration) => acceptedCall(declaration, { by: withoutDatabase }),
    also: saysWhenToComeBack,
  },
]

const declarations = (await loadRoutes()).map(({ declaration }) => declaration)

describe.each(provocations)('$refusal: $by', ({ refusal, of = () => true, provoke, also }) => {
  test.each(declarations.filter(of).map((declaration) => [declaration.operationId, declaration] as const))(
    '%s',
    async (_, declaration) => {
      const error = await expectRefusal(provoke(declaration), refusal)
      also?.(error)
    },
  )
})

test('every cause has a page', async () => {
  for (const [code, { title }] of Object.entries(causes)) {
    const page = await client().get(`/docs/causes/${code}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(await page.text(), code).toContain(title)
  }
  await expectRefusal(client().get('/docs/causes/no_such'), '404 not_found')
})

test('every error code has a page', async () => {
  for (const [code, { title }] of Object.entries(errorCodes)) {
    const page = await client().get(`/docs/errors/${code}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(await page.text(), code).toContain(title)
  }
  const refused = await expectRefusal(client().get('/docs/errors/no_such'), '404 not_found')
  expect(refused.details?.doc_url).toBe(`${baseUrl}/docs/errors/not_found`)
})

test('browsers get a page as HTML with a policy, programs get Markdown, both with the names of this network', async () => {
  const { get } = client({
    bindings: {
      PROFILE: '{"service":"A<b>","prefix":"a","header_prefix":"X-A-"}',
      BASE_URL: 'https://api.a.example',
      LOCAL_NETWORK: 'false',
    },
  })
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/docs', '/docs/quickstart', '/docs/errors/not_found', '/docs/operations/submitTask']) {
    const page = await get(path, { Accept: browser })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(page.headers.get('vary')).toMatch(/^Accept,/)
    const html = await page.text()
    expect(html).toContain('A&#60;b&#62; <span>docs</span>')
    expect(html).not.toMatch(/\{\{|hub\.invalid/)
    for (const accept of ['*/*', 'text/markdown', 'text/markdown, text/html'])
      expect((await get(path, { Accept: accept })).headers.get('content-type')).toBe(
        'text/markdown; charset=utf-8',
      )
  }
  for (const path of ['/docs.md', '/docs/quickstart.md'])
    expect((await get(path, { Accept: browser })).headers.get('content-type')).toMatch(/^text\/markdown/)
  const markdown = await get('/docs/operations/submitTask.md', { Accept: browser })
  expect(await markdown.text()).toContain("curl -s -X POST 'https://api.a.example/v1/projects/")
  for (const [path, first] of [
    ['/llms.txt', '# A<b>\n'],
    ['/llms-full.txt', '# What do you want to do?\n'],
  ] as const) {
    const text = await get(path)
    expect([text.status, text.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect((await text.text()).startsWith(first)).toBe(true)
  }
  for (const path of ['/docs/no-such', '/docs/nowhere/no-such', '/docs/_.html', '/docs/.version'])
    await expectRefusal(get(path, { Accept: browser }), '404 not_found')
})
