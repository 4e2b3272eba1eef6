import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { errorCodes } from '../protocol/errors.ts'
import { hashPayload } from '../protocol/execution/index.ts'
import { defaultNetworkParams, profileStrings, signRequest } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { echo, spinner, talker } from '../testing/node/artifacts.ts'
import { buildNodectl, temporaryFolder } from '../testing/node/nodectl.ts'
import {
  callNode,
  type Reply,
  type ServingNode,
  sharedNode,
  startNode,
  token,
} from '../testing/node/serving-node.ts'
import { Random } from './src/engine/testing/random.ts'
import { profile } from './src/profile.ts'
import { openServeStore } from './src/serve/store/index.ts'

beforeAll(buildNodectl)
const shared = sharedNode()

const slow = [sharedNode(), sharedNode(), sharedNode()] as const
/** What slow callers are answered. They are cut off after a minute, in which the tests before theirs run. */
let cutOff: Promise<readonly [headers: string, body: string, unread: unknown]>
beforeAll(async () => {
  const [first, second, third] = [slow[0](), slow[1](), slow[2]()]
  await third.call(`/modules/${talker.address}`, { method: 'PUT', body: talker.bytes })
  const post = `POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`
  const type = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  cutOff = Promise.all([raw(first, post), raw(second, `${post}${type}`), askAndNotRead(third)])
  cutOff.catch(() => {})
})

const newFolder = () => path.join(temporaryFolder(), 'node')

/** The whole body of an error, whose id is anybody's guess. */
const envelope = (error: string, message: string | RegExp, details?: unknown) => ({
  error,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
  ...(details !== undefined && { details }),
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
})

const expectError = (reply: Reply, status: number, code: string, message: string | RegExp): void => {
  expect([reply.status, reply.json]).toEqual([status, expect.objectContaining(envelope(code, message))])
  expect(Object.keys(errorCodes)).toContain(code)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
}

/**
 * Bytes as they stand, and everything that comes back until the node ends the connection.
 *
 * @param isAll Whether the caller says that nothing more will come.
 */
function raw(node: ServingNode, bytes: string | Uint8Array, { isAll = false } = {}): Promise<string> {
  const { hostname, port } = new URL(node.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.write(bytes)
  if (isAll) socket.end()
  return readText(socket).catch(() => '')
}

/** This machine as others see it. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** Memory of a process in MiB. */
const residentMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

describe('paths and methods', () => {
  test('what is not there is 404, what does not take a method is 405 with Allow', async () => {
    const node = shared()
    expectError(await node.call('/nothing'), 404, 'not_found', 'There is nothing at /nothing.')
    const reply = await node.call('/execute')
    expectError(reply, 405, 'bad_request', '/execute does not take GET; it takes POST.')
    expect(reply.headers.allow).toBe('POST')
    for (const method of ['POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const other = await node.call('/health', { method })
      expectError(other, 405, 'bad_request', `/health does not take ${method}; it takes GET, HEAD.`)
      expect(other.headers.allow).toBe('GET, HEAD')
    }
  })

  test('HEAD has the head of GET and no body', async () => {
    const node = shared()
    const head = await node.call('/node', { method: 'HEAD' })
    const get = await node.call('/node')
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(get.text.length),
    ])
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
  ])('%s names nothing: a path has one spelling', async (target) => {
    const node = shared()
    expectError(await node.call(target), 404, 'not_found', /^There is nothing at /)
  })

  test('an absolute URL, an asterisk and a fragment are no targets', async () => {
    const node = shared()
    for (const target of ['http://other.example/health', '*', 'health', '/health#x'])
      expect(
        await raw(node, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"error":"bad_request"/)
  })

  test('a parameter that is not known, or comes twice, is refused by name', async () => {
    const node = shared()
    expectError(await node.call('/health?x=1'), 400, 'invalid_field', 'x: is not a parameter of this call')
    expectError(
      await node.call('/ledger?limit=1&limit=2'),
      400,
      'invalid_field',
      'limit: is given more than once',
    )
  })
})

describe('what is no HTTP', () => {
  test('is answered with the envelope, and the connection ends', async () => {
    const node = shared()
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

describe('what is broken on purpose', () => {
  test('500 requests with bytes changed: the node answers or ends the connection, and goes on', async () => {
    const node = await startNode(newFolder())
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

  test.skipIf(ownAddress === undefined)(
    'one address beyond the machine has 256 connections at most',
    async () => {
      const node = await startNode(newFolder(), { bind: '0.0.0.0:0' })
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
    },
  )
})

describe('the token', () => {
  test.each([
    ['none', {}],
    ['another one', { Authorization: 'Bearer another-token-of-some-length' }],
    ['one that begins like it', { Authorization: `Bearer ${token.slice(0, -1)}` }],
    ['one with more behind it', { Authorization: `Bearer ${token}x` }],
    ['another scheme', { Authorization: `Basic ${token}` }],
    ['no scheme', { Authorization: token }],
    ['two of them', { Authorization: `Bearer ${token} ${token}` }],
  ])('%s is 401 on every call that needs it', async (_, headers) => {
    const node = shared()
    for (const [method, target] of [
      ['POST', '/execute'],
      ['PUT', `/modules/${echo.address}`],
      ['GET', '/metrics'],
    ] as const)
      expect((await node.call(target, { method, headers, token: null })).status).toBe(401)
    if ('Authorization' in headers)
      expect((await node.call('/status', { headers, token: null })).status).toBe(401)
  })

  test('two headers are 401, though one is right', async () => {
    const node = shared()
    const head = `GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`
    expect(await raw(node, `${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await raw(node, `${head}Authorization: Bearer x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('without a token, programs of this machine may call, and pages in a browser may not', async () => {
    const node = await startNode(newFolder(), { env: { NODE_API_TOKEN: '' } })
    const status = (headers: Record<string, string>) =>
      node.call('/metrics', { token: null, headers }).then((reply) => reply.status)
    expect(await status({})).toBe(200)
    expect(await status({ Host: 'localhost:7070' })).toBe(200)
    expect(await status({ Origin: 'http://127.0.0.1' })).toBe(401)
    expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(401)
  })

  test('a node on loopback answers nothing under a foreign name, which a page in a browser can have lead there', async () => {
    const node = await startNode(newFolder(), {
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

  test('nobody learns it: not from the log, the status, the metrics or the errors', async () => {
    const node = await startNode(newFolder(), { flags: ['--log-level', 'debug'] })
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
      timestamp: change.timestamp ?? Math.floor(Date.now() / 1000),
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

  test('of a validator is taken once, across a restart too', async () => {
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
    const second = await startNode(folder)
    expect((await second.call('/status', { token: null, headers })).status).toBe(401)
    expect((await second.call('/status', { token: null, headers: signed('/status') })).status).toBe(200)
  })

  test('is refused for each thing that is wrong with it', async () => {
    const node = await startNode(folderThatKnows())
    const call = (headers: Record<string, string>) => node.call('/status', { token: null, headers })
    const skew = defaultNetworkParams.max_skew + 60
    const { [names.nonce_header]: _, ...incomplete } = signed('/status')
    expectError(await call(incomplete), 401, 'unauthorized', /all five signature headers/)
    const old = Math.floor(Date.now() / 1000) - skew
    expectError(await call(signed('/status', { timestamp: old })), 401, 'unauthorized', /within 300 s/)
    expectError(
      await call(signed('/node')),
      401,
      'bad_signature',
      'The signature does not verify over this request.',
    )
    expectError(await call(signed('/status', { body: 'x' })), 401, 'bad_signature', /does not verify/)
    expectError(
      await call(signed('/status', { seed: stranger })),
      403,
      'forbidden',
      /neither a validator nor/,
    )
    const otherId = { ...signed('/status'), [names.node_header]: 'node-0000000000000000' }
    expectError(await call(otherId), 401, 'bad_signature', /does not verify/)
    const both = { ...signed('/status'), Authorization: `Bearer ${token}` }
    expectError(await call(both), 401, 'unauthorized', 'Send a token or a signature, not both.')
  })

  test('is no token: what only the operator may do stays closed to validators', async () => {
    const node = await startNode(folderThatKnows())
    expectError(
      await node.call('/metrics', { token: null, headers: signed('/metrics') }),
      403,
      'forbidden',
      /^This call takes the node's token/,
    )
  })

  test('of the coordinator runs a module in a round, and in nothing else; a validator runs none', async () => {
    const node = await startNode(folderThatKnows())
    await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: spinner.bytes })
    const round = {
      module_address: spinner.address,
      function: 'f',
      input_hash: hashPayload(new Uint8Array()),
      gas_limit: 1000,
      issued_at: Math.floor(Date.now() / 1000),
      nonce: '0'.repeat(32),
    }
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
      /^round: is required of the coordinator/,
    )
    expectError(
      await execute(seed, { round }),
      403,
      'forbidden',
      /^This call takes the signature of the network's/,
    )
  })
})

describe('bodies', () => {
  test('of another kind are refused before they are read', async () => {
    const node = shared()
    const post = (headers: Record<string, string>, body = '{}') =>
      node.call('/execute', { method: 'POST', headers, body })
    expectError(
      await post({ 'Content-Type': 'text/plain' }),
      400,
      'bad_request',
      /must be application\/json, not/,
    )
    expectError(
      await post({ 'Content-Type': 'application/json; charset=latin1' }),
      400,
      'bad_request',
      /in UTF-8, not charset=latin1/,
    )
    expectError(
      await post({ 'Content-Encoding': 'gzip' }),
      415,
      'bad_request',
      /without Content-Encoding gzip/,
    )
    expectError(await node.call('/health', { body: '{}' }), 400, 'bad_request', 'This call takes no body.')
  })

  test.each([
    ['', 'The body is missing; send a JSON object.'],
    ['[]', 'The body must be a JSON object.'],
    ['{"a":1,"a":2}', /^The body is not acceptable JSON: a: /],
    ['{"a":1.5}', /^The body is not acceptable JSON: a: /],
    ['\uFEFF{}', /^The body is not acceptable JSON/],
    [`[${'['.repeat(100)}`, /^The body is not acceptable JSON/],
    [`{"a":[${'0,'.repeat(10_000)}0]}`, /^The body holds more than 10000 values/],
  ])('%j is no body that can be read', async (body, message) => {
    const node = shared()
    expectError(await node.call('/execute', { method: 'POST', body }), 400, 'bad_request', message)
  })

  test('that announce too much are refused unread, with what asks first never told to send', async () => {
    const node = shared()
    const announcing = (target: string, method: string, type: string, length: number) =>
      raw(
        node,
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n` +
          `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      )
    const [json, module] = await Promise.all([
      announcing('/execute', 'POST', 'application/json', 2 * 1024 * 1024 + 1),
      announcing(`/modules/${echo.address}`, 'PUT', 'application/octet-stream', 16 * 1024 * 1024 + 1),
    ])
    expect(json).toMatch(/^HTTP\/1\.1 413 [\s\S]*The body is larger than 2097152 bytes/)
    expect(module).toMatch(/^HTTP\/1\.1 413 [\s\S]*The body is larger than 16777216 bytes/)
  })

  test('in chunks of 2 GB are refused within bounded memory', { timeout: 120_000 }, async () => {
    const node = await startNode(newFolder())
    await node.call('/health')
    const before = residentMemory(node.pid)
    let peak = before
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const reply = await new Promise<{ status: number | undefined; sent: number }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const sent = request(`${node.url}/execute`, { method: 'POST', headers, agent: false })
      let chunks = 0
      let status: number | undefined
      const more = (): void => {
        peak = Math.max(peak, residentMemory(node.pid))
        if (chunks === 2048) return void sent.end()
        chunks += 1
        sent.write(chunk, more)
      }
      sent.on('response', (response) => {
        status = response.statusCode
        response.resume()
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (status === undefined) reject(error)
      })
      sent.on('close', () => resolve({ status, sent: chunks }))
      more()
    })
    expect(reply.status).toBe(413)
    expect(reply.sent).toBeLessThan(100)
    expect(peak - before).toBeLessThan(64)
    expect((await node.call('/health')).status).toBe(200)
  })

  test('that many hold back at once are bounded together', { timeout: 120_000 }, async () => {
    const node = await startNode(newFolder())
    await node.call('/health')
    const before = residentMemory(node.pid)
    const { hostname, port } = new URL(node.url)
    const head =
      `PUT /modules/${echo.address} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/octet-stream\r\nContent-Length: ${16 * 1024 * 1024}\r\n\r\n`
    const almostAll = Buffer.alloc(12 * 1024 * 1024)
    const answers: string[] = []
    const sockets = Array.from({ length: 12 }, () => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.on('data', (data) => answers.push(String(data).slice(0, 12)))
      socket.write(head)
      socket.write(almostAll)
      return socket
    })
    // 64 MiB hold five of them.
    await expect.poll(() => answers.length).toBe(7)
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503']))
    expect(residentMemory(node.pid) - before).toBeLessThan(192)
    for (const socket of sockets) socket.destroy()
    await expect
      .poll(
        async () => (await node.call(`/modules/${echo.address}`, { method: 'PUT', body: echo.bytes })).status,
      )
      .toBe(201)
  })
})

/** Requests of callers that name a key the node knows, and cannot sign with it. */
describe.skipIf(ownAddress === undefined)('bodies of callers that are not proven', () => {
  const coordinator = `0x${'33'.repeat(32)}`
  const bodyBytes = 2 * 1024 * 1024

  const startKnowing = async (): Promise<ServingNode> => {
    const folder = newFolder()
    const store = openServeStore(folder)
    store.senders.replace([{ publicKey: ed25519PublicKey(coordinator), role: 'coordinator', url: null }])
    store.close()
    return startNode(folder, { bind: '0.0.0.0:0' })
  }

  /** Sends all of a body but its last byte. @returns What is answered. */
  const holdBack = (node: ServingNode, count: number): Promise<string>[] => {
    const { headers } = signRequest(profile, coordinator, {
      method: 'POST',
      target: '/execute',
      timestamp: Math.floor(Date.now() / 1000),
      nonce: '7'.repeat(32),
      body: 'another body',
    })
    const head = [
      'POST /execute HTTP/1.1',
      'Host: localhost',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/json',
      `Content-Length: ${bodyBytes}`,
    ]
    const bytes = Buffer.concat([
      Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
      Buffer.alloc(bodyBytes - 1, ' '),
    ])
    const { port } = new URL(node.url)
    return Array.from({ length: count }, () => {
      const socket = connect({ host: ownAddress!, port: Number(port) })
      socket.on('error', () => {})
      socket.write(bytes)
      return readText(socket).catch(() => '')
    })
  }

  test('one address fills a part of the memory for bodies, and not for long', {
    timeout: 120_000,
  }, async () => {
    const node = await startKnowing()
    const answers = await Promise.all(holdBack(node, 30))
    const withStatus = (status: number) => answers.filter((answer) => answer.startsWith(`HTTP/1.1 ${status}`))
    // 24 MiB hold twelve of them at a time.
    expect(withStatus(503).length).toBeGreaterThan(0)
    expect(withStatus(408).length + withStatus(503).length).toBe(30)
    expect(withStatus(408)[0]).toMatch(/A body must come on by 16 KiB in 5 s/)
    const reply = await node.call(`/modules/${echo.address}`, { method: 'PUT', body: echo.bytes })
    expect(reply.status).toBe(201)
  })
})

describe('many at once', () => {
  test('500 executions: each is answered, and health stays quick', { timeout: 180_000 }, async () => {
    const node = await startNode(newFolder())
    await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: spinner.bytes })
    const execute = () =>
      node.call('/execute', {
        method: 'POST',
        body: { module: spinner.address, function: 'f', gas_limit: 3_000_000 },
      })
    const executions = Promise.all(Array.from({ length: 500 }, execute))
    const waits: number[] = []
    let isOver = false
    const healths = (async () => {
      while (!isOver) {
        const startedAt = performance.now()
        expect((await node.call('/health')).status).toBe(200)
        waits.push(performance.now() - startedAt)
      }
    })()
    const replies = await executions.finally(() => {
      isOver = true
    })
    await healths
    const answered = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 503)
    expect(answered.length + refused.length).toBe(500)
    // The queue takes 256 beside those that run.
    expect(answered.length).toBeGreaterThanOrEqual(257)
    for (const reply of refused) {
      expect(reply.json).toEqual(envelope('unavailable', /^The node has as many executions as it takes/))
      expect(reply.headers['retry-after']).toBe('1')
    }
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(1000)
    expect((await node.call('/status')).json.counts).toMatchObject({ receipts: answered.length })
  })
})

/** An answer of six megabytes, of which nothing is read. */
async function askAndNotRead(node: ServingNode): Promise<void> {
  const body = JSON.stringify({ module: talker.address, function: 'f', gas_limit: 10_000_000 })
  const { hostname, port } = new URL(node.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  socket.write(
    `POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
  const connections = (count: number): Promise<unknown> =>
    vi.waitFor(
      async () =>
        expect((await node.call('/metrics')).text).toContain(`\nnodectl_http_connections ${count}\n`),
      { timeout: 120_000, interval: 500 },
    )
  await connections(2)
  await connections(1)
  socket.destroy()
}

describe('slow callers', () => {
  test('are cut off: with their headers, their body, and their answer', { timeout: 240_000 }, async () => {
    const [headers, body] = await cutOff
    expect(headers).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"error":"bad_request"/)
    expect(body).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*A request must arrive within 60 s/)
  })
})
