import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { deriveNodeId, resolveProfile, signRequest } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { loadRoutes } from '../routes/index.ts'
import { createMiner, createNode, createWallet, deviceRecord, insertNode, signIn } from '../test/callers.ts'
import { client, errorOf, expectRefusal, freshAddress } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { runSql, scalarOf } from '../test/tables.ts'
import { hashSecret } from './authenticate.ts'

const secret = 'S'.repeat(43)

const freshKey = () => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

const useUp = (budget: string, tokens: number) =>
  env.RATE_LIMITER.getByName(budget).take({ limit: tokens, windowSeconds: 60, tokens })

const insertKey = async (
  keyId: string,
  columns: { scopes?: string[]; expiresAt?: number; revokedAt?: number } = {},
) => {
  const { scopes = ['modules:write'], expiresAt = null, revokedAt = null } = columns
  const { address } = createWallet()
  await runSql(
    'INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, created_at, expires_at, revoked_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?)',
    keyId,
    address,
    'test',
    hashSecret(secret),
    JSON.stringify(scopes),
    expiresAt,
    revokedAt,
  )
  return { address, token: `hub_test_${keyId}_${secret}` }
}

/** One caller for all of them, with a budget that lasts: each client address costs a Durable Object. */
const anybody = client({ bindings: { RATE_LIMIT_MULTIPLIER: '1000' } })

const keyWithoutScopes = await insertKey('noscopes', { scopes: [] })
const withAuth = (await loadRoutes()).filter(({ declaration }) => declaration.auth)
const call = (declaration: (typeof withAuth)[number]['declaration'], headers: Record<string, string>) =>
  anybody.fetch(
    declaration.path.replace('{address}', `0x${'ab'.repeat(32)}`).replace(/\{\w+\}/g, 'abcdefgh'),
    { method: declaration.method.toUpperCase(), headers },
  )

describe.each(withAuth.map(({ declaration }) => [declaration.operationId, declaration] as const))(
  'credentials of %s',
  (_, declaration) => {
    const outcome = async (headers: Record<string, string>) => {
      const response = await call(declaration, headers)
      if (response.ok) return [response.status]
      const { status, error } = await errorOf(response)
      return [status, error]
    }

    test('401 unauthorized: no credentials', async () => {
      expect(await outcome({})).toEqual([401, 'unauthorized'])
    })

    test.each([
      ['another scheme', 'Basic aHViOmh1Yg=='],
      ['no scheme', `hubsess_${secret}`],
      ['a malformed token', 'Bearer abc'],
      ['a session token that is too short', `Bearer hubsess_${secret.slice(1)}`],
      ['an unknown session', `Bearer hubsess_${secret}`],
      ['an unknown API key', `Bearer hub_test_zzzzzzzz_${secret}`],
      ['two credentials', `Bearer hubsess_${secret}, Bearer hubsess_${secret}`],
    ])('401 unauthorized: %s', async (_name, authorization) => {
      expect(await outcome({ Authorization: authorization })).toEqual([401, 'unauthorized'])
    })

    test('403: an API key without the scope, or on a route that accepts no API key', async () => {
      expect(await outcome({ Authorization: `Bearer ${keyWithoutScopes.token}` })).toEqual([
        403,
        declaration.auth?.apiKey ? 'scope_missing' : 'forbidden',
      ])
    })
  },
)

describe('bearer tokens', () => {
  test('a 401 answer names their scheme, and no other refusal does', async () => {
    const challenge = async (path: string) => {
      const { status, headers } = await client().get(path)
      return [status, headers.get('WWW-Authenticate')]
    }
    expect(await challenge('/v1/auth/session')).toEqual([401, 'Bearer'])
    expect(await challenge('/v1/nothing')).toEqual([404, null])
  })

  test('the scheme is case-insensitive', async () => {
    const { token } = await signIn()
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await client().get('/v1/auth/session', { Authorization: `${scheme} ${token}` })).status).toBe(
        200,
      )
    }
  })

  test('401 session_expired, then unauthorized once it is revoked', async () => {
    const { token, client: caller } = await signIn()
    const outcome = async () => (await errorOf(caller.get('/v1/status'))).error
    for (const [column, code] of [
      ['expires_at', 'session_expired'],
      ['revoked_at', 'unauthorized'],
    ]) {
      await runSql(`UPDATE sessions SET ${column} = 1 WHERE token_hash = ?`, hashSecret(token))
      expect(await outcome()).toBe(code)
    }
  })

  test('a credential on a public route is checked, and caches do not keep the answer', async () => {
    expect((await client({ token: `hubsess_${secret}` }).get('/v1/status')).status).toBe(401)
    const { client: caller } = await signIn()
    const response = await caller.get('/v1/status')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('ratelimit-limit')).toBe('1200')
  })

  test('401: an API key that is expired, revoked, or has another secret', async () => {
    const expired = await insertKey('expired0', { expiresAt: 2 })
    const revoked = await insertKey('revoked0', { revokedAt: 2 })
    const live = await insertKey('livekey0')
    const other = live.token.replace(/S{43}$/, 'T'.repeat(43))
    const message = 'This token is unknown or revoked. Sign in again or use another key.'
    // An unknown id and a wrong secret cannot be told apart.
    for (const token of [expired.token, revoked.token, other, `hub_test_unknown0_${secret}`])
      await expectRefusal(client({ token }).get('/v1/status'), '401 unauthorized', { message })
    const { headers } = await client({ token: live.token }).get('/v1/status')
    expect(headers.get('ratelimit-limit')).toBe('3000')
  })

  test('403 scope_missing names the scope', async () => {
    const { token } = await insertKey('scoped00', { scopes: ['projects:read'] })
    await expectRefusal(client({ token }).post('/v1/modules', { hbc_b64: '' }), '403 scope_missing', {
      details: { scope: 'modules:write' },
    })
  })
})

describe('node signatures', () => {
  const profile = resolveProfile()
  const seed = freshKey()
  const publicKey = ed25519PublicKey(seed)
  const nodeId = deriveNodeId(profile, publicKey)
  beforeAll(() => insertNode({ nodeId, publicKey }))
  const sign = (
    change: { method?: string; timestamp?: number; nonce?: string; target?: string; body?: string } = {},
    key = seed,
  ) =>
    signRequest(profile, key, {
      method: 'GET',
      target: '/v1/status',
      body: '',
      timestamp: Math.floor(Date.now() / 1000),
      nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2),
      ...change,
    }).headers
  const outcome = async (headers: Record<string, string>) => {
    const response = await client().get('/v1/status', headers)
    return response.ok
      ? [200, response.headers.get('ratelimit-limit')]
      : [response.status, (await errorOf(response)).error]
  }

  /** A device's subscription, as the chain and the hub have it. */
  const bond = (key: string, collateral: string) =>
    env.DB.batch([
      env.DB.prepare(
        `INSERT INTO subscriptions (subscription_id, owner, project_id, node_id, node_key, closings, reputation,
          credited_rounds, missed_leases, disagreements, created_at) VALUES (?1, '', '', '', ?1, 0, 0, 0, 0, 0, 0)`,
      ).bind(key),
      env.DB.prepare("UPDATE subscriptions SET min_collateral = '500' WHERE subscription_id = ?").bind(key),
      env.DB.prepare(
        `INSERT INTO chain_states (kind, subject, state, block_number)
        VALUES ('subscription', ?1, json_object('status', 'bonded', 'node_key', ?1, 'collateral', ?2), 1)`,
      ).bind(key, collateral),
    ])
  const register = (key: string, role: string, status: string) =>
    runSql(
      "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, ?, ?, 'https://node.example', 1)",
      deriveNodeId(profile, key),
      key,
      role,
      status,
    )

  test.each([
    ['a miner that registered itself', (key: string) => register(key, 'miner', 'approved'), '600'],
    ['a validator that waits for an operator', (key: string) => register(key, 'validator', 'pending'), '600'],
    ['an approved validator', (key: string) => register(key, 'validator', 'approved'), '3000'],
    [
      'a device with less collateral than its project asks for',
      async (key: string) => (await bond(key, '99')) && register(key, 'miner', 'approved'),
      '600',
    ],
    ['a device with its collateral', (key: string) => bond(key, '1000'), '3000'],
  ])('the budget of %s', async (_, prepare, limit) => {
    const fresh = freshKey()
    await prepare(ed25519PublicKey(fresh))
    expect(await outcome(sign({}, fresh))).toEqual([200, limit])
  })

  test('a read has no body, even if its headers announce one', async () => {
    expect(await outcome({ ...sign(), 'Content-Length': '99999999' })).toEqual([200, '600'])
    expect(await outcome({ ...sign({ body: '{}' }), 'Content-Length': '2' })).toEqual([401, 'bad_signature'])
  })

  test('finding the collateral of a node reads no rows of other nodes', async () => {
    await env.DB.batch(
      Array.from({ length: 60 }, () =>
        env.DB.prepare(
          `INSERT INTO chain_states (kind, subject, state, block_number)
          VALUES ('subscription', ?1, json_object('status', 'bonded', 'node_key', ?1, 'collateral', '9'), 1)`,
        ).bind(freshKey()),
      ),
    )
    const { db, use } = countedDatabase()
    const key = freshKey()
    await bond(ed25519PublicKey(key), '1000')
    const target = '/v1/network/params'
    expect((await client({ bindings: { DB: db } }).get(target, sign({ target }, key))).status).toBe(200)
    expect(use).toMatchObject({ roundTrips: 1, statements: 1 })
    expect(use.rowsRead).toBeLessThanOrEqual(4)
  })

  test('malformed headers and invalid signatures do not use up the budget of nodes at the same address', async () => {
    const caller = client({ address: freshAddress() })
    const bonded = freshKey()
    await bond(ed25519PublicKey(bonded), '500')
    for (const budget of ['anonymous', 'node_signature']) await useUp(`${budget}:${caller.from}`, 3000)
    expect((await caller.get('/v1/status', { 'X-Hub-Node': 'x' })).status).toBe(429)
    expect((await caller.get('/v1/status', sign({}, bonded))).status).toBe(200)

    // Once it is known here, nothing its neighbours do stops it.
    await useUp(`unproven:${caller.from}`, 600)
    const junk = { ...sign({}, bonded), 'X-Hub-Signature': `0x${'1'.repeat(128)}` }
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push((await caller.get('/v1/status', junk)).status)
    expect(statuses.slice(-5)).toEqual(Array(5).fill(429))
    expect((await caller.get('/v1/status', sign({}, bonded))).status).toBe(200)
    expect((await caller.get('/v1/status', sign({}, `0x${'7'.repeat(64)}`))).status).toBe(429)
  })

  test('nodes with collateral share the budget of their address', async () => {
    const caller = client({ address: freshAddress() })
    await useUp(`node:${caller.from}`, 6000)
    const bonded = freshKey()
    await bond(ed25519PublicKey(bonded), '500')
    const refused = await caller.get('/v1/status', sign({}, bonded))
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '6000'])
    expect((await client().get('/v1/status', sign({}, bonded))).status).toBe(200)
  })

  test.each([
    ['used at another address than its node', true],
    ['without collateral', false],
  ])('past the limit, a body under a known key %s is neither read nor verified', async (_, isBonded) => {
    const key = isBonded ? freshKey() : seed
    if (isBonded) await bond(ed25519PublicKey(key), '500')
    const node = client({ address: freshAddress() })
    expect((await node.get('/v1/status', sign({}, key))).status).toBe(200)
    const caller = isBonded ? client({ address: freshAddress() }) : node
    await useUp(`unproven:${caller.from}`, 600)
    let reads = 0
    for (let i = 0; i < 60; i++) {
      const body = new ReadableStream({
        type: 'bytes',
        pull(controller) {
          reads = i
          controller.enqueue(new Uint8Array(1024))
          controller.close()
        },
      })
      const headers = { ...sign({}, key), 'X-Hub-Signature': `0x${'1'.repeat(128)}` }
      const answer = await caller.fetch('/v1/auth/nonce', { method: 'POST', headers, body })
      if (i === 59) expect(answer.status).toBe(429)
    }
    expect(reads).toBeLessThan(59)
  })

  // A signature names no host: a request that a node signs for another hub must be worthless here.
  test('401 unauthorized: a key that is neither registered nor bound here, on reads and writes', async () => {
    const stranger = createNode()
    const kept = () =>
      scalarOf('SELECT count(*) AS n FROM node_request_nonces WHERE public_key = ?', stranger.publicKey)
    for (const [method, path, body] of [
      ['GET', '/v1/status'],
      ['POST', '/v1/nodes/heartbeat', {}],
      ['PUT', `/v1/devices/${stranger.nodeId}/profile`, {}],
    ] as const)
      await expectRefusal(stranger.call(method, path, body), '401 unauthorized', {
        details: { reason: 'unknown_key' },
      })
    expect(await kept()).toBe(0)
  })

  test('a key is known while its device is bound', async () => {
    const { owner, device } = await createMiner()
    expect((await device.call('GET', '/v1/status')).status).toBe(200)
    await client().post('/v1/devices/unbind', deviceRecord(owner, device, { action: 'unbind' }))
    expect((await device.call('GET', '/v1/status')).status).toBe(401)
  })

  test('invalid headers are refused before the body is read', async () => {
    let pulled = 0
    const body = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1024))
      },
    })
    const headers = { ...sign({ timestamp: 1 }), 'Content-Type': 'application/json' }
    const response = await client().fetch('/v1/auth/nonce', { method: 'POST', headers, body })
    await expectRefusal(response, '401 unauthorized')
    expect(pulled).toBeLessThan(3)
  })

  test('of 20 racing writes with one nonce exactly one is answered', async () => {
    const body = JSON.stringify({ address: createWallet().address, domain: 'localhost:8787' })
    const signed = sign({ method: 'POST', target: '/v1/auth/nonce', body })
    const headers = { ...signed, 'Content-Type': 'application/json' }
    const call = async () => {
      const response = await client().fetch('/v1/auth/nonce', { method: 'POST', headers, body })
      return response.ok ? 'answered' : (await errorOf(response)).error
    }
    const outcomes = await Promise.all(Array.from({ length: 20 }, call))
    expect(outcomes.sort()).toEqual(['answered', ...Array(19).fill('unauthorized')])
  })

  test('a read may be repeated, because it stores no nonce', async () => {
    const headers = sign()
    expect([await outcome(headers), await outcome(headers)]).toEqual([
      [200, '600'],
      [200, '600'],
    ])
    const kept = await scalarOf(
      'SELECT count(*) AS n FROM node_request_nonces WHERE nonce = ?',
      headers['X-Hub-Nonce'],
    )
    expect(kept).toBe(0)
  })

  test('401 unauthorized: together with a bearer token', async () => {
    const { token } = await signIn()
    expect(await outcome({ ...sign(), Authorization: `Bearer ${token}` })).toEqual([401, 'unauthorized'])
  })
})
