import { chmodSync, cpSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashBytes, utf8, zeroAddress } from '../protocol/encoding/index.ts'
import { computeStateRoot, hashPayload } from '../protocol/execution/index.ts'
import { hostileArtifacts } from '../protocol/hbc/testing/artifacts.ts'
import { type DirectRound, deriveDirectRoundId } from '../protocol/identity/index.ts'
import { type ExecutionVote, parseExecutionVote } from '../protocol/rounds/index.ts'
import { artifactOf, collector, echo, spinner, type TestArtifact, talker } from '../testing/node/artifacts.ts'
import { buildNodectl, nodectl, temporaryFolder } from '../testing/node/nodectl.ts'
import { type Reply, type ServingNode, startNode } from '../testing/node/serving-node.ts'
import { profile } from './src/profile.ts'
import { pageBytesMax } from './src/serve/http/page.ts'

beforeAll(buildNodectl)

const newFolder = () => path.join(temporaryFolder(), 'node')

const bring = (node: ServingNode, { address, bytes }: TestArtifact) =>
  node.call(`/modules/${address}`, { method: 'PUT', body: bytes })

const execute = (node: ServingNode, body: object) => node.call('/execute', { method: 'POST', body })

let nonces = 0
const roundOf = ({ address }: TestArtifact, change: Partial<DirectRound> = {}): DirectRound => ({
  module_address: address,
  function: address === echo.address ? 'echo' : 'f',
  input_hash: hashPayload(new Uint8Array()),
  gas_limit: 1_000_000,
  issued_at: Math.floor(Date.now() / 1000),
  nonce: String(nonces++).padStart(32, '0'),
  ...change,
})

const vote = (node: ServingNode, round: DirectRound): Promise<Reply> =>
  execute(node, { module: round.module_address, function: round.function, round })

const problemsOf = (reply: Reply) => ({
  status: reply.status,
  error: reply.json.error,
  problems: reply.json.details?.problems?.map(({ path, code }: { path: string; code: string }) => [
    path,
    code,
  ]),
})

describe('PUT /modules/:address', () => {
  test('201 when it is stored, 200 when it is known', async () => {
    const node = await startNode(newFolder())
    const first = await bring(node, echo)
    expect([first.status, first.json]).toEqual([201, { manifest_address: echo.address, status: 'stored' }])
    const second = await bring(node, echo)
    expect([second.status, second.json]).toEqual([200, { manifest_address: echo.address, status: 'known' }])
  })

  test('422 invalid_manifest for the artifact of another address', async () => {
    const node = await startNode(newFolder())
    const reply = await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: echo.bytes })
    expect([reply.status, reply.json]).toMatchObject([
      422,
      { error: 'invalid_manifest', details: { reason: 'manifest_address', address: echo.address } },
    ])
    expect((await node.call('/status')).json.counts.modules).toBe(0)
  })

  test('422 invalid_manifest with the rule, for each artifact that breaks one', async () => {
    const node = await startNode(newFolder())
    for (const { name, bytes, rule } of hostileArtifacts.slice(0, 20)) {
      const reply = await bring(node, { address: echo.address, bytes })
      expect([name, problemsOf(reply)]).toEqual([
        name,
        { status: 422, error: 'invalid_manifest', problems: [['body', rule]] },
      ])
    }
  })

  test('400 for an address of another form, and for no body', async () => {
    const node = await startNode(newFolder())
    const upper = await node.call(`/modules/${echo.address.toUpperCase()}`, {
      method: 'PUT',
      body: echo.bytes,
    })
    expect(problemsOf(upper)).toMatchObject({ status: 400, problems: [['address', 'invalid_value']] })
    const none = await bring(node, { address: echo.address, bytes: new Uint8Array() })
    expect([none.status, none.json.error]).toEqual([400, 'bad_request'])
  })

  test('one that was damaged since is not run, and mended by bringing it again', async () => {
    const folder = newFolder()
    const first = await startNode(folder)
    await bring(first, echo)
    await first.stop()
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.prepare('UPDATE modules SET hbc = ?').run(new Uint8Array(100))
    db.close()
    const second = await startNode(folder)
    const refused = await execute(second, { module: echo.address, function: 'echo', input: '{}' })
    expect([refused.status, refused.json]).toMatchObject([
      503,
      { error: 'unavailable', details: { reason: 'node_fault' }, message: /damaged/ },
    ])
    expect((await bring(second, echo)).status).toBe(201)
    expect((await execute(second, { module: echo.address, function: 'echo', input: '{}' })).status).toBe(200)
  })
})

describe('POST /execute', () => {
  test('answers what run prints, with the events', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    const { status, json } = await execute(node, {
      module: echo.address,
      function: 'echo',
      input: '{"msg":"hi"}',
    })
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        output: '{"msg":"hi"}',
        error: null,
        gas_limit: 1_000_000,
        gas_used: 581,
        events: [{ name: 'echoed', data: { msg: 'hi' } }],
        receipt: {
          receipt: expect.objectContaining({
            receipt_hash: '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6',
          }),
          node_id: node.node_id,
          public_key: node.public_key,
          signature: expect.stringMatching(/^0x[0-9a-f]{128}$/),
          timestamp: expect.any(Number),
        },
      },
    ])
  })

  test('what it answers holds before verify, and is what run answers', async () => {
    const folder = newFolder()
    const node = await startNode(folder)
    await bring(node, echo)
    const { text } = await execute(node, {
      module: echo.address,
      function: 'echo',
      input_b64: 'eyJhIjoxfQ==',
    })
    const file = path.join(temporaryFolder(), 'echo.hbc')
    writeFileSync(file, echo.bytes)
    const { code, stdout } = await nodectl(['verify', '-', file, '--input', '{"a":1}'], { input: utf8(text) })
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { holds: true }])
  })

  test('a function that fails is answered with 200 and its error', async () => {
    const node = await startNode(newFolder())
    await bring(node, spinner)
    const { status, json } = await execute(node, { module: spinner.address, function: 'f', gas_limit: 1000 })
    expect([status, json]).toMatchObject([
      200,
      { success: false, output: null, error: 'out of gas', gas_used: 1000 },
    ])
  })

  test('refuses what it cannot run, with every wrong member', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    expect(problemsOf(await execute(node, {}))).toEqual({
      status: 400,
      error: 'invalid_field',
      problems: [
        ['module', 'missing'],
        ['function', 'missing'],
      ],
    })
    const many = await execute(node, {
      module: 'x',
      function: 1,
      input: 2,
      input_b64: '=',
      gas_limit: 0,
      round: {},
      more: 1,
    })
    expect(problemsOf(many)).toEqual({
      status: 400,
      error: 'invalid_field',
      problems: [
        ['more', 'unknown_key'],
        ['module', 'invalid_value'],
        ['function', 'invalid_value'],
        ['input', 'invalid_value'],
        ['input_b64', 'invalid_value'],
        ['gas_limit', 'invalid_value'],
        ['round', 'invalid_value'],
      ],
    })
    const other = await execute(node, { module: echo.address, function: 'nope' })
    expect(problemsOf(other)).toMatchObject({ status: 400, problems: [['function', 'invalid_value']] })
    const absent = await execute(node, { module: spinner.address, function: 'f' })
    expect([absent.status, absent.json.error]).toEqual([404, 'not_found'])
    const large = await execute(node, {
      module: echo.address,
      function: 'echo',
      input: 'x'.repeat(1_048_577),
    })
    expect([large.status, large.json]).toMatchObject([413, { error: 'too_large', message: /1048576 bytes/ }])
  })

  test('answers a mebibyte that JSON writes with six, whole', async () => {
    const node = await startNode(newFolder())
    await bring(node, talker)
    const { json } = await execute(node, { module: talker.address, function: 'f', gas_limit: 10_000_000 })
    expect(json.output).toBe('\u0001'.repeat(1_048_576))
  })

  test('output that is no UTF-8 is no output: the run has failed, with a receipt that says so', async () => {
    const node = await startNode(newFolder())
    const garbler = artifactOf(
      'garbler',
      '(i32.store8 (i32.const 1024) (i32.const 255)) (i64.const 0x40000000001)',
    )
    await bring(node, garbler)
    const { json } = await execute(node, { module: garbler.address, function: 'f' })
    expect(json).toMatchObject({ success: false, output: null, error: 'output is not valid UTF-8' })
    expect(json.receipt.receipt).toMatchObject({ success: false, output_hash: hashBytes(new Uint8Array()) })
  })

  test('runs of a module with storage follow each other, however many come at once', async () => {
    const node = await startNode(newFolder())
    await bring(node, collector)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => execute(node, { module: collector.address, function: 'f' })),
    )
    const outputs = replies.map(({ json }) => json.output.length).toSorted((a, b) => a - b)
    expect(outputs).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })
})

test('a node that is no validator has the consensus routes too: it counts and shows, and signs nothing', async () => {
  const node = await startNode(newFolder())
  for (const path of ['committee-sets', 'task-rounds', 'direct-rounds', 'reward-proposals']) {
    const { status, json } = await node.call(`/consensus/${path}`, { method: 'POST', body: {} })
    expect([path, status, json.error, json.details]).toEqual([
      path,
      409,
      'invalid_state',
      { reason: 'no_validator' },
    ])
    expect((await node.call(`/consensus/${path}`, { method: 'POST', body: {}, token: null })).status).toBe(
      401,
    )
  }
  await bring(node, echo)
  const { json } = await vote(node, roundOf(echo))
  const { round_id: roundId } = json.vote
  expect(problemsOf(await node.call('/consensus/votes', { method: 'POST', body: {} })).status).toBe(422)
  expect((await node.call(`/consensus/rounds/${roundId}`, { token: null })).json.votes).toEqual([json.vote])
  expect((await node.call('/consensus/evidence', { token: null })).json).toEqual({
    items: [],
    next_cursor: null,
  })
})

describe('a vote', () => {
  test('is of the run, keeps the rules, and says how the storage changed', async () => {
    const payout = `0x${'ab'.repeat(20)}`
    const node = await startNode(newFolder(), { flags: ['--payout-address', payout] })
    await bring(node, collector)
    await execute(node, { module: collector.address, function: 'f' })
    const round = roundOf(collector)
    const { status, json } = await vote(node, round)
    expect([status, json.output]).toEqual([200, 'xx'])
    const parsed: ExecutionVote = parseExecutionVote(profile, json.vote)
    const rootWith = (value: string) =>
      computeStateRoot(profile, [{ key: utf8('k'), value: utf8(value) }]).root
    expect(parsed).toMatchObject({
      round,
      round_id: deriveDirectRoundId(round),
      public_key: node.public_key,
      payout_address: payout,
      receipt_hash: json.receipt.receipt.receipt_hash,
      state: [
        {
          module_address: collector.address,
          pre_root: rootWith('x'),
          pre_seq: 1,
          post_root: rootWith('xx'),
          post_seq: 2,
        },
      ],
    })
  })

  test('has no state for a module without storage, and pays nobody where no address was given', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    const { json } = await vote(node, roundOf(echo))
    expect(parseExecutionVote(profile, json.vote).payout_address).toBe(zeroAddress)
    expect(json.vote).not.toHaveProperty('state')
  })

  test('is the same for ever: asked again, at once, after a kill, with another payout address', async () => {
    const folder = newFolder()
    const first = await startNode(folder)
    await bring(first, collector)
    const round = roundOf(collector)
    const at = await Promise.all(Array.from({ length: 12 }, () => vote(first, round)))
    const texts = new Set(at.map(({ text }) => text))
    expect(texts.size).toBe(1)
    await first.kill()
    const second = await startNode(folder, { flags: ['--payout-address', `0x${'cd'.repeat(20)}`] })
    expect((await vote(second, round)).text).toBe([...texts][0])
    // A round of which nobody says that it is decided writes nothing.
    expect((await execute(second, { module: collector.address, function: 'f' })).json.output).toBe('x')
    expect((await second.call('/status')).json.counts).toMatchObject({ votes: 1, receipts: 2 })
  })

  test.each([
    [
      'of the whole directory',
      (backup: string, folder: string) => {
        rmSync(folder, { recursive: true })
        cpSync(backup, folder, { recursive: true })
      },
    ],
    [
      'of the database alone, over the file that is there',
      (backup: string, folder: string) =>
        cpSync(path.join(backup, 'node.sqlite'), path.join(folder, 'node.sqlite')),
    ],
  ])('survives a restore %s; rounds that the backup may lack get none', async (_, restore) => {
    const folder = newFolder()
    const backup = path.join(temporaryFolder(), 'backup')
    const first = await startNode(folder)
    await bring(first, spinner)
    const before = roundOf(spinner)
    const given = await vote(first, before)
    await first.stop()
    cpSync(folder, backup, { recursive: true })
    const second = await startNode(folder)
    const after = roundOf(spinner)
    await vote(second, after)
    await second.stop()
    restore(backup, folder)

    const restored = await startNode(folder)
    expect((await vote(restored, before)).text).toBe(given.text)
    const withheld = await vote(restored, after)
    expect([withheld.status, withheld.json]).toMatchObject([
      409,
      { error: 'invalid_state', details: { reason: 'vote_withheld' } },
    ])
    expect(withheld.json.message).toMatch(/^This data directory is a copy: /)
    expect((await restored.call('/status')).json.counts).toMatchObject({ votes: 1, receipts: 1 })
    // What needs no vote goes on.
    expect((await execute(restored, { module: spinner.address, function: 'f' })).status).toBe(200)
    await restored.stop()
    expect(restored.log().map(({ message }) => message)).toContain(
      'the data directory is a copy or was restored: rounds that began before get no vote',
    )
  })

  test('is refused for a round of another run, and for one that has not begun', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    for (const [change, member] of [
      [{ module_address: spinner.address }, 'module_address'],
      [{ function: 'f' }, 'function'],
      [{ input_hash: hashBytes(utf8('x')) }, 'input_hash'],
      [{ gas_limit: 10_000_000_001 }, 'gas_limit'],
      [{ issued_at: Math.floor(Date.now() / 1000) + 3600 }, 'issued_at'],
    ] as const) {
      const round = roundOf(echo, change)
      const reply = await execute(node, { module: echo.address, function: 'echo', round })
      expect(problemsOf(reply)).toMatchObject({
        status: 400,
        problems: [[`round.${member}`, 'invalid_value']],
      })
    }
    const gas = await execute(node, {
      module: echo.address,
      function: 'echo',
      gas_limit: 7,
      round: roundOf(echo),
    })
    expect(problemsOf(gas)).toMatchObject({ status: 400, problems: [['round.gas_limit', 'invalid_value']] })
    expect((await node.call('/status')).json.counts.votes).toBe(0)
  })

  test('is given again when the module is gone', async () => {
    const folder = newFolder()
    const first = await startNode(folder)
    await bring(first, spinner)
    const round = roundOf(spinner)
    const { text } = await vote(first, round)
    await first.stop()
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.exec('DELETE FROM modules')
    db.close()
    expect((await vote(await startNode(folder), round)).text).toBe(text)
  })

  test('that cannot be stored is not given: 503, and later the same round has one', async () => {
    const folder = newFolder()
    const node = await startNode(folder)
    await bring(node, collector)
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.exec('BEGIN IMMEDIATE')
    const round = roundOf(collector)
    const refused = await vote(node, round)
    db.exec('ROLLBACK')
    db.close()
    expect([refused.status, refused.json.error, refused.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '10',
    ])
    expect(refused.text).not.toContain('signature')
    expect((await vote(node, round)).json).toMatchObject({ output: 'x', vote: { round } })
    expect((await node.call('/status')).json).toMatchObject({
      counts: { votes: 1, receipts: 1 },
      last_errors: [{ message: 'a request failed' }],
    })
  })

  test('is kept for a while: the oldest are dropped with all that they left, and get no other', async () => {
    const node = await startNode(newFolder(), { flags: ['--direct-rounds', '3'] })
    await bring(node, echo)
    const now = Math.floor(Date.now() / 1000)
    const rounds = Array.from({ length: 8 }, (_, i) =>
      roundOf(echo, { issued_at: now - 100 + i, nonce: `${i}`.repeat(32) }),
    )
    for (const round of rounds) expect((await vote(node, round)).status).toBe(200)
    expect((await node.call('/ledger')).json.receipts).toHaveLength(3)
    expect((await node.call('/status')).json.direct_rounds).toMatchObject({ rounds: 3 })
    const dropped = await vote(node, rounds[4]!)
    expect([dropped.status, dropped.json.details]).toEqual([409, { reason: 'vote_withheld' }])
    expect((await vote(node, rounds[5]!)).status).toBe(200)
  })

  test('is not given for more gas than the node runs directly', async () => {
    const node = await startNode(newFolder(), { flags: ['--direct-gas', '999999'] })
    await bring(node, echo)
    expect(problemsOf(await vote(node, roundOf(echo)))).toMatchObject({
      status: 400,
      problems: [['round.gas_limit', 'invalid_value']],
    })
    const own = { module: echo.address, function: 'echo', input: '{}', gas_limit: 1_000_000 }
    expect((await execute(node, own)).status).toBe(200)
  })

  test('is not given while the disk has no room but for what else the node does', async () => {
    const node = await startNode(newFolder(), { flags: ['--disk-reserve', '1048576'] })
    await bring(node, echo)
    const refused = await vote(node, roundOf(echo))
    expect([refused.status, refused.json.error, refused.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '60',
    ])
    expect((await execute(node, { module: echo.address, function: 'echo', input: '{}' })).status).toBe(200)
  })

  test('has the round id on each line of the log about it', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    const round = roundOf(echo)
    await vote(node, round)
    await node.stop()
    expect(node.log()).toContainEqual(
      expect.objectContaining({
        message: 'executed',
        round_id: deriveDirectRoundId(round),
        module: echo.address,
      }),
    )
  })
})

test.skipIf(process.platform === 'win32')(
  'what a node keeps is for its user alone, also where it was not before',
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
  test('the newest first, of a module and a function, as many as asked for', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    await bring(node, collector)
    for (const input of ['1', '2', '3'])
      await execute(node, { module: echo.address, function: 'echo', input })
    const last = await execute(node, { module: collector.address, function: 'f' })
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
    await (await startNode(folder)).stop()
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
    const node = await startNode(folder)
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
      const node = await startNode(newFolder())
      const reply = await node.call(`/ledger?${query}`)
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

  test('is there only with --chunk-storage', async () => {
    const node = await startNode(newFolder())
    expect((await put(node, hash, bytes)).status).toBe(404)
    expect((await node.call('/node')).json.capabilities).toEqual(['execute', 'modules', 'ledger'])
  })

  test('gives back what was stored under its hash, to anybody, across a restart', async () => {
    const folder = newFolder()
    const first = await startNode(folder, { flags: ['--chunk-storage', '1'] })
    expect([(await put(first, hash, bytes)).status, (await put(first, hash, bytes)).status]).toEqual([
      201, 200,
    ])
    expect((await first.call(`/chunks/${hash}`, { method: 'PUT', body: bytes, token: null })).status).toBe(
      401,
    )
    await first.kill()
    const second = await startNode(folder, { flags: ['--chunk-storage', '1'] })
    const got = await second.call(`/chunks/${hash}`, { token: null })
    expect([got.status, got.text, got.headers['content-type']]).toEqual([
      200,
      'a chunk',
      'application/octet-stream',
    ])
    const head = await second.call(`/chunks/${hash}`, { method: 'HEAD', token: null })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '7'])
    expect((await second.call('/status')).json.storage.chunk_bytes).toBe(7)
  })

  test('404 for what is not there, 400 for other bytes, 413 for too many', async () => {
    const node = await startNode(newFolder(), { flags: ['--chunk-storage', '1'] })
    expect((await node.call(`/chunks/${hash}`)).status).toBe(404)
    expect((await node.call('/chunks/..%2Fnode.key')).status).toBe(404)
    expect(problemsOf(await put(node, hashBytes(utf8('x')), bytes))).toMatchObject({
      status: 400,
      problems: [['hash', 'invalid_value']],
    })
    expect((await put(node, hash, new Uint8Array(1_048_577))).status).toBe(413)
  })

  test('past the quota it is 413, also for those that come at once', async () => {
    const node = await startNode(newFolder(), { flags: ['--chunk-storage', '1'] })
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

describe('what a node says of itself', () => {
  test('/node says who it is and what it can do', async () => {
    const node = await startNode(newFolder(), {
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

  test('/status says counts to everybody, and the rest to the operator, without secrets', async () => {
    const node = await startNode(newFolder(), {
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

  test('/metrics are lines that Prometheus reads', async () => {
    const node = await startNode(newFolder())
    await bring(node, echo)
    await execute(node, { module: echo.address, function: 'echo', input: '{}' })
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
