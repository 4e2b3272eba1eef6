import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { defaultNetworkParams, profileStrings, signRequest } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { echo, spinner } from '../testing/node/artifacts.ts'
import { roundOf } from '../testing/node/execution-calls.ts'
import { newFolder } from '../testing/node/folders.ts'
import { expectError, ownAddress, raw } from '../testing/node/http-calls.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { callNode, sharedNode, startNode, startNodeHere, token } from '../testing/node/serving-node.ts'
import { shared } from '../testing/node/shared.ts'
import { Random } from './src/engine/testing/random.ts'
import { defaultProfile as profile } from './src/profile.ts'
import { openServeStore } from './src/serve/store/index.ts'

const plain = sharedNode()

describe('paths and methods', () => {
  test('an unknown path is 404, a method that a path does not support is 405 with Allow', async () => {
    const node = plain()
    expectError(await node.call('/nothing'), 404, 'not_found', '/nothing does not exist.')
    const reply = await node.call('/execute')
    expectError(reply, 405, 'bad_request', '/execute does not take GET; it takes POST.')
    expect(reply.headers.allow).toBe('POST')
    for (const method of ['POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const other = await node.call('/health', { method })
      expectError(other, 405, 'bad_request', `/health does not take ${method}; it takes GET, HEAD.`)
      expect(other.headers.allow).toBe('GET, HEAD')
    }
  })

  test('HEAD returns the headers of GET without a body', async () => {
    const node = plain()
    const head = await node.call('/node', { method: 'HEAD' })
    const get = await node.call('/node')
    expect(head).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': String(get.text.length) },
    })
  })

  test.each([
    '/health/',
    '//health',
    '/./health',
    '/x/../health',
    '/%68ealth',
    '/health%00',
    '/health;x',
    '/HEALTH',
    '/modules/',
    `/modules/${echo.address}/x`,
    '/__proto__',
    '/constructor',
  ])('%s does not exist: a path has one spelling', async (target) => {
    const node = plain()
    expectError(await node.call(target), 404, 'not_found', / does not exist\.$/)
  })

  test('an absolute URL, an asterisk and a fragment are invalid request targets', async () => {
    const node = plain()
    for (const target of ['http://other.example/health', '*', 'health', '/health#x'])
      expect(
        await raw(node, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"error":"bad_request"/)
  })

  test('an unknown or repeated parameter is refused by name', async () => {
    const node = plain()
    expectError(await node.call('/health?x=1'), 400, 'invalid_field', 'x: is not a parameter of this call')
    expectError(
      await node.call('/ledger?limit=1&limit=2'),
      400,
      'invalid_field',
      'limit: is given more than once',
    )
  })
})

describe('bytes that are not HTTP', () => {
  test('get the error envelope, and the connection ends', async () => {
    const node = plain()
    for (const bytes of [
      'HELLO\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Bad : y\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\nb: c\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01',
    ])
      expect(await raw(node, bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"error":"bad_request"/)
    const large = `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`
    expect(await raw(node, large)).toMatch(/^HTTP\/1\.1 431 [\s\S]*larger than 16384 bytes/)
    expect((await node.call('/health')).status).toBe(200)
  })
})

describe('a request that is broken on purpose', () => {
  test('500 requests with bytes changed: the node answers or ends the connection, and goes on', async () => {
    const node = await startNodeHere()
    const random = new Random(20)
    const body = '{"module":"0x12","function":"f"}'
    const whole =
      `POST /execute?x=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const broken = Array.from({ length: 500 }, () => {
      const bytes = Buffer.from(whole)
      for (let change = random.below(4); change >= 0; change--)
        bytes[random.below(bytes.length)] = random.below(256)
      return bytes.subarray(0, random.chance(20) ? random.below(bytes.length) : bytes.length)
    })
    const answers = await Promise.all(broken.map((bytes) => raw(node, bytes, { isAll: true })))
    for (const answer of answers)
      expect(answer).toMatch(/^$|^HTTP\/1\.1 (400|401|403|404|405|408|413|415|431) /)
    await node.stop()
    expect(node.log().filter(({ level }) => level === 'error')).toEqual([])
  })

  test.skipIf(ownAddress === undefined)('one remote address has at most 256 connections', async () => {
    const node = await startNodeHere(newFolder(), { bind: '0.0.0.0:0' })
    const { port } = new URL(node.url)
    const open = () => {
      const socket = connect({ host: ownAddress!, port: Number(port) })
      socket.on('error', () => {})
      return socket
    }
    const held = Array.from({ length: 256 }, open)
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    await once(open(), 'close')
    expect((await callNode(`http://127.0.0.1:${port}`, '/health')).status).toBe(200)
    held[0]!.destroy()
    await expect
      .poll(() => callNode(`http://${ownAddress}:${port}`, '/health').catch(() => null))
      .not.toBeNull()
    for (const socket of held) socket.destroy()
  })
})

describe('the token', () => {
  test.each([
    ['none', {}],
    ['another token', { Authorization: 'Bearer another-token-of-some-length' }],
    ['a token without its last character', { Authorization: `Bearer ${token.slice(0, -1)}` }],
    ['a token with an extra character', { Authorization: `Bearer ${token}x` }],
    ['another scheme', { Authorization: `Basic ${token}` }],
    ['no scheme', { Authorization: token }],
    ['the token twice', { Authorization: `Bearer ${token} ${token}` }],
  ])('%s is 401 on every call that needs it', async (_, headers) => {
    const node = plain()
    for (const [method, target] of [
      ['POST', '/execute'],
      ['PUT', `/modules/${echo.address}`],
      ['GET', '/metrics'],
    ] as const)
      expect((await node.call(target, { method, headers, token: null })).status).toBe(401)
    if ('Authorization' in headers)
      expect((await node.call('/status', { headers, token: null })).status).toBe(401)
  })

  test('two Authorization headers are 401, even if one is right', async () => {
    const node = plain()
    const head = `GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`
    expect(await raw(node, `${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await raw(node, `${head}Authorization: Bearer x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('without a token, programs of this machine may call, and pages in a browser may not', async () => {
    const node = await startNodeHere(newFolder(), { env: { NODE_API_TOKEN: '' } })
    const status = (headers: Record<string, string>) =>
      node.call('/metrics', { token: null, headers }).then((reply) => reply.status)
    expect(await status({})).toBe(200)
    expect(await status({ Host: 'localhost:7070' })).toBe(200)
    expect(await status({ Origin: 'http://127.0.0.1' })).toBe(401)
    expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(401)
  })

  test('a node on loopback refuses foreign host names, so a web page cannot reach it by DNS rebinding', async () => {
    const node = await startNodeHere(newFolder(), {
      env: { NODE_API_TOKEN: '' },
      flags: ['--node-url', 'https://node.example'],
    })
    const call = (target: string, host: string, method = 'GET') =>
      node.call(target, { method, token: null, headers: { Host: host } })
    for (const host of [
      'rebound.example',
      'rebound.example:7070',
      '127.0.0.1.rebound.example',
      '192.168.1.2',
      'x y',
    ])
      for (const target of ['/health', '/status', '/ledger', '/metrics', '/nothing'])
        expectError(await call(target, host), 403, 'forbidden', /localhost or 127\.0\.0\.1.*--node-url/)
    for (const host of [
      'localhost',
      'LOCALHOST:1',
      '127.0.0.1',
      '127.1.2.3:7070',
      '[::1]:7070',
      'node.example',
    ])
      expect((await call('/health', host)).status).toBe(200)
    // The proxy of the node passes on what strangers ask.
    expect((await call('/metrics', 'node.example')).status).toBe(401)
  })

  test('never appears in the log, the status, the metrics or the errors', async () => {
    const node = await startNodeHere(newFolder(), { flags: ['--log-level', 'debug'] })
    const replies = [
      await node.call('/status'),
      await node.call('/metrics'),
      await node.call('/metrics', { token: `${token}x` }),
    ]
    await node.stop()
    expect(JSON.stringify([replies.map(({ text }) => text), node.log()])).not.toContain(token)
  })
})

describe('a signed request', () => {
  const seed = `0x${'11'.repeat(32)}`
  const stranger = `0x${'22'.repeat(32)}`
  const names = profileStrings(profile)
  let nonces = 0

  const signed = (target: string, change: { seed?: string; timestamp?: number; body?: string } = {}) =>
    signRequest(profile, change.seed ?? seed, {
      method: 'GET',
      target,
      timestamp: change.timestamp ?? unixNow(),
      nonce: String(nonces++).padStart(32, '0'),
      body: change.body ?? '',
    }).headers

  const coordinator = `0x${'33'.repeat(32)}`

  const folderThatKnows = (): string => {
    const folder = newFolder()
    const store = openServeStore(folder)
    store.senders.replace([
      { publicKey: ed25519PublicKey(seed), role: 'validator', url: null },
      { publicKey: ed25519PublicKey(coordinator), role: 'coordinator', url: null },
    ])
    store.close()
    return folder
  }

  const knowing = shared(() => startNodeHere(folderThatKnows()))

  test('of a validator is accepted once, also across a restart', async () => {
    const folder = folderThatKnows()
    const first = await startNode(folder)
    const headers = signed('/status')
    expect((await first.call('/status', { token: null, headers })).status).toBe(200)
    expectError(
      await first.call('/status', { token: null, headers }),
      401,
      'unauthorized',
      'The nonce was used before; sign each request with a fresh one.',
    )
    await first.kill()
    const second = await startNodeHere(folder)
    expect((await second.call('/status', { token: null, headers })).status).toBe(401)
    expect((await second.call('/status', { token: null, headers: signed('/status') })).status).toBe(200)
  })

  test('is refused for each of its possible errors', async () => {
    const node = knowing()
    const old = unixNow() - defaultNetworkParams.max_skew - 60
    const { [names.nonce_header]: _, ...incomplete } = signed('/status')
    const otherId = { ...signed('/status'), [names.node_header]: 'node-0000000000000000' }
    const both = { ...signed('/status'), Authorization: `Bearer ${token}` }
    const wrong: [Record<string, string>, number, string, string | RegExp][] = [
      [incomplete, 401, 'unauthorized', /all five signature headers/],
      [signed('/status', { timestamp: old }), 401, 'unauthorized', /within 300 s/],
      [signed('/node'), 401, 'bad_signature', 'The signature does not verify over this request.'],
      [signed('/status', { body: 'x' }), 401, 'bad_signature', /does not verify/],
      [signed('/status', { seed: stranger }), 403, 'forbidden', /neither a validator nor/],
      [otherId, 401, 'bad_signature', /does not verify/],
      [both, 401, 'unauthorized', 'Send a token or a signature, not both.'],
    ]
    for (const [headers, ...expected] of wrong)
      expectError(await node.call('/status', { token: null, headers }), ...expected)
  })

  test('does not replace the token: calls for the operator alone stay closed to validators', async () => {
    const node = knowing()
    expectError(
      await node.call('/metrics', { token: null, headers: signed('/metrics') }),
      403,
      'forbidden',
      /^This call takes the node's token/,
    )
  })

  test('of the coordinator runs a module only in a round; a validator runs none', async () => {
    const node = knowing()
    await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: spinner.bytes })
    const round = roundOf(spinner, { gas_limit: 1000 })
    const execute = (by: string, content: object) => {
      const body = JSON.stringify({ module: spinner.address, function: 'f', ...content })
      const request = { method: 'POST', target: '/execute', timestamp: round.issued_at, body }
      const nonce = String(nonces++).padStart(32, '0')
      const { headers } = signRequest(profile, by, { ...request, nonce })
      return node.call('/execute', { method: 'POST', token: null, headers, body })
    }
    const voted = await execute(coordinator, { round })
    expect([voted.status, voted.json.vote.round]).toEqual([200, round])
    expectError(
      await execute(coordinator, {}),
      400,
      'invalid_field',
      /^round: is required if the coordinator calls/,
    )
    expectError(
      await execute(seed, { round }),
      403,
      'forbidden',
      /^This call takes the signature of the network's/,
    )
  })
})
