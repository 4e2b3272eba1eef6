import { chmodSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { hashBytes, utf8 } from '../protocol/encoding/index.ts'
import { hashPayload } from '../protocol/execution/index.ts'
import { collector, echo } from '../testing/node/artifacts.ts'
import { bring, collecting, echoing, execute, problemsOf } from '../testing/node/execution-calls.ts'
import { newFolder } from '../testing/node/folders.ts'
import { limitedNode } from '../testing/node/limited-node.ts'
import { type ServingNode, sharedNode, startNode, startNodeHere } from '../testing/node/serving-node.ts'
import { pageBytesMax } from './src/serve/http/page.ts'

const shared = sharedNode()
const storing = sharedNode({ flags: ['--chunk-storage', '1'] })

test.skipIf(process.platform === 'win32')(
  'only its user can read the files of a node, even if others could before',
  async () => {
    const folder = newFolder()
    const modes = () =>
      ['', 'node.sqlite', 'node.sqlite-wal', 'node.sqlite-shm'].map((name) =>
        (statSync(path.join(folder, name)).mode & 0o777).toString(8),
      )
    const umask = process.umask(0)
    try {
      const node = await startNode(folder)
      expect(modes()).toEqual(['700', '600', '600', '600'])
      await node.stop()
      chmodSync(path.join(folder, 'node.sqlite'), 0o644)
      await startNode(folder)
      expect(modes()).toEqual(['700', '600', '600', '600'])
    } finally {
      process.umask(umask)
    }
  },
)

describe('GET /ledger', () => {
  test('returns the newest first, filtered by module and function, up to the limit', async () => {
    const node = await startNodeHere()
    await bring(node, echo)
    await bring(node, collector)
    for (const input of ['1', '2', '3']) await execute(node, { ...echoing, input })
    const last = await execute(node, collecting)
    const hashes = async (query: string) =>
      (await node.call(`/ledger${query}`, { token: null })).json.receipts.map(
        ({ receipt }: { receipt: { input_hash: string } }) => receipt.input_hash,
      )
    const inputs = ['3', '2', '1'].map((text) => hashPayload(utf8(text)))
    const newest = (await node.call('/ledger?limit=1')).json
    expect(newest).toEqual({ receipts: [last.json.receipt], next_cursor: '4' })
    expect(await hashes(`?limit=1&cursor=${newest.next_cursor}`)).toEqual(inputs.slice(0, 1))
    expect(await hashes('')).toEqual([hashPayload(new Uint8Array()), ...inputs])
    expect(await hashes(`?module=${echo.address}&limit=2`)).toEqual(inputs.slice(0, 2))
    expect(await hashes('?function=echo')).toEqual(inputs)
    expect(await hashes(`?module=${echo.address}&function=f`)).toEqual([])
  })

  test('a page has a bounded number of bytes, however large receipts are, and the cursor leads to all of them', async () => {
    const folder = newFolder()
    await (await startNodeHere(folder)).stop()
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    const insert = db.prepare(
      'INSERT INTO ledger (address, function, receipt_hash, envelope, created_at) VALUES (?, ?, ?, ?, 0)',
    )
    const large = 'x'.repeat(pageBytesMax / 4)
    const sizes = Array.from({ length: 12 }, (_, index) =>
      index === 5 ? `${large}${'x'.repeat(pageBytesMax)}` : large,
    )
    for (const [index, text] of sizes.entries())
      insert.run(echo.address, 'echo', `0x${index}`, JSON.stringify({ index, text }))
    db.close()
    const node = await startNodeHere(folder)
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { receipts, next_cursor } = (
        await node.call(`/ledger?limit=200${cursor && `&cursor=${cursor}`}`, { token: null })
      ).json as { receipts: { index: number; text: string }[]; next_cursor: string | null }
      const bytes = JSON.stringify(receipts).length
      expect(receipts.length === 1 || bytes <= pageBytesMax + receipts.length).toBe(true)
      seen.push(...receipts.map(({ index }) => index))
      cursor = next_cursor
    }
    expect(seen).toEqual(sizes.map((_, index) => index).reverse())
  })

  test.each(['limit=0', 'limit=201', 'limit=x', 'limit=', 'cursor=0', 'module=0x12', 'function=a-b'])(
    '400 for %s',
    async (query) => {
      const reply = await shared().call(`/ledger?${query}`)
      expect(problemsOf(reply)).toMatchObject({
        status: 400,
        problems: [[query.split('=')[0], 'invalid_value']],
      })
    },
  )
})

describe('/chunks', () => {
  const bytes = utf8('a chunk')
  const hash = hashBytes(bytes)
  const put = (node: ServingNode, name: string, body: Uint8Array) =>
    node.call(`/chunks/${name}`, { method: 'PUT', body })

  test('exists only with --chunk-storage', async () => {
    expect((await put(shared(), hash, bytes)).status).toBe(404)
    expect((await shared().call('/node')).json.capabilities).toEqual(['execute', 'modules', 'ledger'])
  })

  test('returns a stored chunk by its hash to any caller, also after a restart', async () => {
    const folder = newFolder()
    const first = await startNode(folder, { flags: ['--chunk-storage', '1'] })
    expect([(await put(first, hash, bytes)).status, (await put(first, hash, bytes)).status]).toEqual([
      201, 200,
    ])
    expect((await first.call(`/chunks/${hash}`, { method: 'PUT', body: bytes, token: null })).status).toBe(
      401,
    )
    await first.kill()
    const second = await startNodeHere(folder, { flags: ['--chunk-storage', '1'] })
    const got = await second.call(`/chunks/${hash}`, { token: null })
    expect(got).toMatchObject({
      status: 200,
      text: 'a chunk',
      headers: { 'content-type': 'application/octet-stream' },
    })
    const head = await second.call(`/chunks/${hash}`, { method: 'HEAD', token: null })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '7'])
    expect((await second.call('/status')).json.storage.chunk_bytes).toBe(7)
  })

  test('404 for a missing chunk, 400 for other bytes, 413 for too many', async () => {
    const node = storing()
    expect((await node.call(`/chunks/${hash}`)).status).toBe(404)
    expect((await node.call('/chunks/..%2Fnode.key')).status).toBe(404)
    expect(problemsOf(await put(node, hashBytes(utf8('x')), bytes))).toMatchObject({
      status: 400,
      problems: [['hash', 'invalid_value']],
    })
    expect((await put(node, hash, new Uint8Array(1_048_577))).status).toBe(413)
  })

  test('413 beyond the quota, also for concurrent uploads', async () => {
    const node = storing()
    const parts = Array.from({ length: 6 }, (_, i) => new Uint8Array(300_000).fill(i))
    const replies = await Promise.all(parts.map((part) => put(node, hashBytes(part), part)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 413, 413, 413])
    expect(replies.find(({ status }) => status === 413)?.json).toMatchObject({
      error: 'too_large',
      details: { reason: 'quota' },
    })
    expect((await node.call('/status')).json.storage.chunk_bytes).toBe(900_000)
  })
})

test.skipIf(process.platform === 'win32')(
  'a chunk that a full disk does not take leaves nothing there, and its caller may try again later',
  async () => {
    // No file of the process may grow beyond 512 KiB.
    const { env } = limitedNode(512)
    const folder = newFolder()
    const node = await startNode(folder, { flags: ['--chunk-storage', '2'], env })
    const put = (bytes: Uint8Array) =>
      node.call(`/chunks/${hashBytes(bytes)}`, { method: 'PUT', body: bytes })
    expect(await put(new Uint8Array(600_000))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '10' },
      json: { error: 'unavailable' },
    })
    expect(readdirSync(path.join(folder, 'chunks')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect((await put(new Uint8Array(100_000))).status).toBe(201)
    expect((await node.call('/status')).json.storage.chunk_bytes).toBe(100_000)
  },
)

describe('the status of a node', () => {
  test('/node shows the identity and the capabilities of the node', async () => {
    const node = await startNodeHere(newFolder(), {
      flags: [
        '--role',
        'validator',
        '--node-url',
        'https://node.example/',
        '--chunk-storage',
        '1',
        '--network',
        'other',
      ],
      env: { NODE_ENGINE: 'pulley' },
    })
    const { json } = await node.call('/node', { token: null })
    expect(json).toEqual({
      node_id: node.node_id,
      public_key: node.public_key,
      version: '1.0.0',
      engine: 'pulley64',
      role: 'validator',
      network: 'other',
      url: 'https://node.example',
      capabilities: ['execute', 'modules', 'ledger', 'chunks'],
    })
  })

  test('/status shows counts to everybody, and the rest to the operator, without secrets', async () => {
    const node = await startNodeHere(newFolder(), {
      flags: ['--chain-rpc', 'https://user:secret@rpc.example/v2/secret-key?k=secret'],
    })
    const open = await node.call('/status', { token: null })
    expect(open.json).toEqual({
      status: 'ok',
      version: '1.0.0',
      uptime_secs: expect.any(Number),
      engine: 'native',
      role: 'miner',
      network: 'hub-testnet',
      counts: { modules: 0, receipts: 0, votes: 0, executions: 0 },
    })
    const full = await node.call('/status')
    expect(full.json).toMatchObject({
      ...open.json,
      uptime_secs: expect.any(Number),
      node_id: node.node_id,
      queue: { running: 0, waiting: 0 },
      storage: { database_bytes: expect.any(Number), chunk_bytes: 0 },
      peers: [],
      last_errors: [],
      config: { chain_rpc: 'rpc.example', api_token: 'set' },
    })
    expect(full.text).not.toContain('secret')
  })

  test('/metrics returns lines that Prometheus can read', async () => {
    const node = await startNodeHere()
    await bring(node, echo)
    await execute(node, { ...echoing, input: '{}' })
    const { text, headers } = await node.call('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('nodectl_build_info{version="1.0.0",engine="native",role="miner"} 1\n')
    expect(text).toContain('nodectl_executions_total{outcome="success"} 1\n')
    expect(text).toMatch(/^nodectl_gas_used_total [1-9]\d*$/m)
    expect(text).toMatch(/^nodectl_execution_seconds_bucket\{le="\+Inf"\} 1$/m)
    expect(text).toContain(
      'nodectl_http_requests_total{route="/modules/:address",method="PUT",status="201"} 1\n',
    )
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(
        /^# (HELP nodectl_\w+ .+|TYPE nodectl_\w+ (counter|gauge|histogram))$|^nodectl_\w+(\{.*\})? [-+\d.e]+$/,
      )
  })
})
