import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { signRequest } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { echo, spinner, talker } from '../testing/node/artifacts.ts'
import { spinning } from '../testing/node/execution-calls.ts'
import { newFolder } from '../testing/node/folders.ts'
import { envelope, expectError, ownAddress, raw } from '../testing/node/http-calls.ts'
import {
  type ServingNode,
  sharedNode,
  startNode,
  startNodeHere,
  token,
} from '../testing/node/serving-node.ts'
import { defaultProfile as profile } from './src/profile.ts'
import { openServeStore } from './src/serve/store/index.ts'

const shared = sharedNode()

const slow = [sharedNode(), sharedNode(), sharedNode()] as const
/** The answers to slow callers. They are cut off after a minute, during which the tests before theirs run. */
let cutOff: Promise<readonly [headers: string, body: string, unread: unknown]>
beforeAll(async () => {
  const [first, second, third] = [slow[0](), slow[1](), slow[2]()]
  await third.call(`/modules/${talker.address}`, { method: 'PUT', body: talker.bytes })
  const post = `POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`
  const type = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  cutOff = Promise.all([raw(first, post), raw(second, `${post}${type}`), askAndNotRead(third)])
  cutOff.catch(() => {})
})

/** Memory of a process in MiB. */
const residentMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

describe('bodies', () => {
  test('of another content type or encoding are refused before they are read', async () => {
    const node = shared()
    for (const [headers, status, message] of [
      [{ 'Content-Type': 'text/plain' }, 400, /must be application\/json, not/],
      [{ 'Content-Type': 'application/json; charset=latin1' }, 400, /in UTF-8, not charset=latin1/],
      [{ 'Content-Encoding': 'gzip' }, 415, /without Content-Encoding gzip/],
    ] as const) {
      const reply = await node.call('/execute', { method: 'POST', headers, body: '{}' })
      expectError(reply, status, 'bad_request', message)
    }
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
  ])('%j is refused as a body', async (body, message) => {
    const node = shared()
    expectError(await node.call('/execute', { method: 'POST', body }), 400, 'bad_request', message)
  })

  test('that announce too many bytes are refused unread, and Expect: 100-continue gets no 100', async () => {
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

  test('in chunks of 2 GB are refused within bounded memory', async () => {
    const node = await startNode()
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

  test('that many callers hold back at once are bounded in total', async () => {
    const node = await startNode()
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
describe.skipIf(ownAddress === undefined)('bodies of unauthenticated callers', () => {
  const coordinator = `0x${'33'.repeat(32)}`
  const bodyBytes = 2 * 1024 * 1024

  const startKnowing = async (): Promise<ServingNode> => {
    const folder = newFolder()
    const store = openServeStore(folder)
    store.senders.replace([{ publicKey: ed25519PublicKey(coordinator), role: 'coordinator', url: null }])
    store.close()
    return startNodeHere(folder, { bind: '0.0.0.0:0' })
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

  test('one address can use only a part of the memory for bodies, and not for long', async () => {
    const node = await startKnowing()
    const answers = await Promise.all(holdBack(node, 30))
    const withStatus = (status: number) => answers.filter((answer) => answer.startsWith(`HTTP/1.1 ${status}`))
    // 24 MiB hold twelve of them at a time.
    expect(withStatus(503).length).toBeGreaterThan(0)
    expect(withStatus(408).length + withStatus(503).length).toBe(30)
    expect(withStatus(408)[0]).toMatch(/A body must arrive at a rate of at least 16 KiB in 5 s/)
    const reply = await node.call(`/modules/${echo.address}`, { method: 'PUT', body: echo.bytes })
    expect(reply.status).toBe(201)
  })
})

describe('many at once', () => {
  test('500 executions: each is answered, and health does not wait for them', async () => {
    const node = await startNode()
    await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: spinner.bytes })
    let executed = 0
    const execute = async () => {
      const reply = await node.call('/execute', {
        method: 'POST',
        body: { ...spinning, gas_limit: 3_000_000 },
      })
      if (reply.status === 200) executed += 1
      return reply
    }
    const executions = Promise.all(Array.from({ length: 500 }, execute))
    /** How many executions ended while each call waited. */
    const waits: number[] = []
    let isOver = false
    const healths = (async () => {
      while (!isOver) {
        const before = executed
        expect((await node.call('/health')).status).toBe(200)
        waits.push(executed - before)
      }
    })()
    const replies = await executions.finally(() => {
      isOver = true
    })
    await healths
    const answered = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 503)
    expect(answered.length + refused.length).toBe(500)
    // The queue takes 256 beside the running ones.
    expect(answered.length).toBeGreaterThanOrEqual(257)
    for (const reply of refused) {
      expect(reply.json).toEqual(envelope('unavailable', /^The node has no room for another execution/))
      expect(reply.headers['retry-after']).toBe('1')
    }
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(10)
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
      { interval: 500 },
    )
  await connections(2)
  await connections(1)
  socket.destroy()
}

describe('slow callers', () => {
  test('are cut off while they send headers or a body, or read their answer', async () => {
    const [headers, body] = await cutOff
    expect(headers).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"error":"bad_request"/)
    expect(body).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*A request must arrive within 60 s/)
  })
})
