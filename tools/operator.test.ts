import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '../localnet/accounts.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { loadedTools, runTool } from '../testing/run-tool.ts'
import type { OperatorCall } from './operator/command.ts'
import { commands } from './operator/commands.ts'
import { readCommand } from './operator/read-command.ts'
import { tableOf } from './operator/table.ts'
import { exampleOf, usage } from './operator/usage.ts'

const post = (path: string, subject: Record<string, string>, body: object) => ({
  method: 'post',
  path,
  params: { path: subject },
  body,
})

describe('operator commands', () => {
  test.each([
    ['review-queue', { method: 'get', path: '/admin/v1/review-queue' }],
    [
      'reports --project 0x01',
      { method: 'get', path: '/admin/v1/reports', params: { query: { project_id: '0x01' } } },
    ],
    [
      'nodes --status pending',
      { method: 'get', path: '/admin/v1/nodes', params: { query: { status: 'pending' } } },
    ],
    [
      'slashes --status disputed --project 0x01',
      {
        method: 'get',
        path: '/v1/explorer/slashes',
        params: { query: { status: 'disputed', project_id: '0x01' } },
      },
    ],
    [
      'node revoke node-1 --at-once',
      post('/admin/v1/nodes/{node_id}/revoke', { node_id: 'node-1' }, { at_once: true }),
    ],
    [
      'validators genesis --node node-1 --node node-2',
      post('/admin/v1/validators/genesis', {}, { node_ids: ['node-1', 'node-2'] }),
    ],
    ['validators generations list', { method: 'get', path: '/v1/validators/generations' }],
    ...[
      ['review-queue', '/admin/v1/review-queue'],
      ['reports', '/admin/v1/reports'],
      ['nodes', '/admin/v1/nodes'],
      ['validators generations list', '/v1/validators/generations'],
      ['slashes', '/v1/explorer/slashes'],
      ['epochs', '/v1/explorer/epochs'],
      ['dead-letters list', '/admin/v1/dead-letters'],
      ['audit-log', '/admin/v1/audit-log'],
    ].map(([words, path]): [string, object] => [
      `${words} --cursor next`,
      { method: 'get', path, params: { query: { cursor: 'next' } } },
    ]),
    [
      'validators generations make --approve node-1 --revoke node-2 --emergency',
      post(
        '/admin/v1/validators/generations',
        {},
        { approve: ['node-1'], revoke: ['node-2'], emergency: true },
      ),
    ],
    ['node approve node-1', post('/admin/v1/nodes/{node_id}/approve', { node_id: 'node-1' }, {})],
    [
      'project reject 0x01 --reason no',
      post(
        '/admin/v1/projects/{project_id}/review',
        { project_id: '0x01' },
        { action: 'reject', reason: 'no' },
      ),
    ],
    [
      'project approve 0x01 --condition one --condition two',
      post(
        '/admin/v1/projects/{project_id}/review',
        { project_id: '0x01' },
        { action: 'approve', conditions: ['one', 'two'] },
      ),
    ],
    [
      'verification approve 0x02',
      post('/admin/v1/developers/{address}/verification', { address: '0x02' }, { status: 'verified' }),
    ],
    [
      'slash resolve 0x03 uphold --notes proven',
      post(
        '/admin/v1/slashes/{evidence_hash}/resolve',
        { evidence_hash: '0x03' },
        { decision: 'uphold', notes: 'proven' },
      ),
    ],
    ['reindex --reason mended', post('/admin/v1/reindex', {}, { reason: 'mended' })],
    ['rebuild-rounds --reason restored', post('/admin/v1/rounds/rebuild', {}, { reason: 'restored' })],
    ['dead-letters list', { method: 'get', path: '/admin/v1/dead-letters' }],
    [
      'dead-letters close m0 --reason done',
      post('/admin/v1/dead-letters/{message_id}/close', { message_id: 'm0' }, { reason: 'done' }),
    ],
    [
      'epoch veto 0x1 7 --reason wrong',
      {
        method: 'post',
        path: '/admin/v1/epochs/{project_id}/{epoch}/veto',
        params: { path: { project_id: '0x1', epoch: '7' } },
        body: { reason: 'wrong' },
      },
    ],
    [
      'settlement pause',
      { method: 'post', path: '/admin/v1/settlement/pause', params: { path: {} }, body: {} },
    ],
    ['faucet close', { method: 'put', path: '/admin/v1/faucet', body: { enabled: false } }],
    [
      'faucet open --amount 5',
      { method: 'put', path: '/admin/v1/faucet', body: { enabled: true, amount: '5' } },
    ],
    [
      'faucet open --cooldown 2h',
      { method: 'put', path: '/admin/v1/faucet', body: { enabled: true, cooldown_secs: 7_200 } },
    ],
  ])('%s', (line, call) => {
    expect(readCommand(line.split(' '))).toMatchObject({ call })
  })

  test.each([
    ['nodes pending', '"nodes" takes no "pending".'],
    ['node approve', '"node approve" needs <node_id>.'],
    ['node', '"node" needs one of approve, revoke.'],
    ['slash resolve 0x03', '"slash resolve 0x03" needs one of cancel, uphold.'],
    ['slash resolve 0x03 maybe', '"slash resolve 0x03" needs one of cancel, uphold, not "maybe".'],
    [
      'project frobnicate 0x1',
      '"project" needs one of approve, reject, pause, resume, delist, not "frobnicate".',
    ],
    ['project delist 0x1 0x2', '"project delist 0x1" takes no "0x2".'],
    ['faucet', '"faucet" needs one of open, close.'],
    ['validators genesis', '"validators genesis" needs --node, once for each validator.'],
    ['x', 'There is no command "x".'],
    ['--reason x', 'Name a command.'],
    ['relayer --reason x', '"relayer" takes no --reason.'],
    ['metrics --json', '"metrics" takes no --json: it prints a text for another program.'],
    ['node approve node-1 --condition x', '"node approve node-1" takes no --condition.'],
    ['faucet open --colour red', "Unknown option '--colour'"],
    [
      'faucet open --amount 1.5',
      '--amount must be a number of base units, or an amount with the symbol of the token, not "1.5".',
    ],
    [
      'faucet open --cooldown soon',
      'A time must be such as 90s, 15m, 2h or 3d, and at most 3650d, not "soon".',
    ],
    ['nodes --hub nodes', '--hub must be an http or https URL without a path'],
  ])('refuses %s', (line, message) => {
    const read = () => readCommand(line.split(' '))
    expect(read).toThrow(UsageError)
    expect(read).toThrow(message)
  })

  test.each([
    ['nodes pending', 'nodes --help'],
    ['node approve', 'node approve --help'],
    ['node', 'node --help'],
    ['project frobnicate 0x1', 'project --help'],
    ['project delist 0x1 0x2', 'project delist --help'],
    ['relayer --reason x', 'relayer --help'],
    ['faucet open --colour red', 'faucet open --help'],
    ['faucet open --amount 1.5', 'faucet open --help'],
    ['x', '--help'],
    ['--reason x', '--help'],
  ])('wrong use points to the help of the command: %s', (line, help) => {
    const hint = `See npm run -s operator -- ${help}`
    expect(() => readCommand(line.split(' '))).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(`${hint}$`) }),
    )
  })

  test('reads the cursor of the next page as the table names it, also one that begins with a dash', () => {
    const named = /--cursor\S+/.exec(tableOf({ items: [{ a: 1 }], next_cursor: '-Ab' }))![0]
    const { call } = readCommand(['nodes', named]) as { call: OperatorCall }
    expect(call.params).toEqual({ query: { cursor: '-Ab' } })
    expect((readCommand(['nodes', '--help']) as { help: string }).help).toContain('--cursor=CURSOR')
  })

  test('the help names every command', () => {
    for (const { words } of commands) expect(usage).toContain(words.join(' '))
    expect(readCommand(['--help'])).toEqual({ help: usage })
  })

  test('every call of the operator API has a command', () => {
    const document = JSON.parse(readFileSync('public/openapi.json', 'utf8')) as { paths: object }
    // Copies of objects are called by `npm run deploy -- backup` and `restore`, many times each.
    const declared = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith('/admin/') && !path.startsWith('/admin/v1/objects/')
        ? Object.keys(methods).map((method) => `${method} ${path}`)
        : [],
    )
    const called = commands
      .map(({ call }) => call([], {}))
      .flatMap(({ method, path }) => (path.startsWith('/admin/') ? `${method} ${path}` : []))
    expect(declared.length).toBeGreaterThan(0)
    expect([...new Set(called)].sort()).toEqual(declared.sort())
  })

  test.each(commands.map((command) => [command.words.join(' '), command] as const))(
    'the help of "%s" has a valid example of that command',
    (_, command) => {
      const example = exampleOf(command)
      const { help } = readCommand([...command.words, '--help']) as { help: string }
      expect(help).toContain(`\n  ${example}`)
      const words = example.replace('npm run -s operator -- ', '').match(/"[^"]*"|\S+/g) ?? []
      const { call } = readCommand(words.map((word) => word.replaceAll('"', ''))) as { call: OperatorCall }
      const { method, path } = command.call([], {})
      expect(call).toMatchObject({ method, path })
    },
  )

  test('the help of a command is about that command', () => {
    const { help } = readCommand(['nodes', '--help']) as { help: string }
    expect(help).toContain('--status STATUS')
    expect(help).not.toContain('faucet')
  })
})

describe('npm run operator', () => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ OPERATOR_ADDRESSES: accounts.operator.address.toLowerCase() })
  })
  afterAll(() => hub.stop())

  const runLoaded = loadedTools()
  const runBy =
    (runner: typeof runTool) =>
    (args: string[], env: Record<string, string> = {}) =>
      runner('tools/operator.ts', [...args, '--hub', hub.origin, '--json'], env)
  const run = runBy(runLoaded)
  const runAlone = runBy(runTool)

  test('decides as the operator of the local network, and prints the answer of the hub', async () => {
    const { client, address } = await signIn(await readNetwork(hub.origin), privateKeys.developer)
    await client.call('POST /v1/developers/me/enrollment', {
      body: { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true },
    })
    const approved = await runAlone(['enrollment', 'approve', address])
    expect([approved.code, JSON.parse(approved.stdout)]).toMatchObject([
      0,
      { address, enrollment: { status: 'active' } },
    ])
    const log = await run(['audit-log', '--subject', address])
    expect(JSON.parse(log.stdout)).toMatchObject({ items: [{ action: 'developer.enrollment.approve' }] })
    const again = await runAlone(['enrollment', 'approve', address])
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: .* answered 409 invalid_state: .*\n$/),
    })
  })

  test('prints a table if JSON is not requested', async () => {
    const table = await runLoaded('tools/operator.ts', ['faucet', 'close', '--hub', hub.origin])
    expect([table.code, table.stdout]).toEqual([
      0,
      expect.stringMatching(/^enabled +false\ntoken .+\namount +\d+\n/),
    ])
  })

  test('prints the metrics of the hub, and makes a key that can read them', async () => {
    const printed = await runLoaded('tools/operator.ts', ['metrics', '--hub', hub.origin])
    expect([printed.code, printed.stdout]).toEqual([
      0,
      expect.stringContaining('\n# TYPE hub_ok gauge\nhub_ok '),
    ])
    const made = await run(['metrics-key', 'prometheus'])
    const { secret } = JSON.parse(made.stdout)
    const read = await fetch(`${hub.origin}/admin/v1/metrics`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    expect([read.status, await read.text()]).toEqual([200, expect.stringContaining('hub_database_bytes ')])
  })

  test('lists dead letters, and closes them', async () => {
    const db = await hub.miniflare.getD1Database('DB', 'hub')
    await db
      .prepare(
        "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES ('m0', 'action-dead-letters', '{}', 11, 1)",
      )
      .run()
    const list = async () => JSON.parse((await run(['dead-letters', 'list'])).stdout) as { items: object[] }
    expect(await list()).toMatchObject({ items: [{ message_id: 'm0', attempts: 11 }] })
    const resent = await run(['dead-letters', 'resend', 'm0'])
    expect([resent.code, resent.stderr]).toEqual([1, expect.stringContaining('409 invalid_state')])
    const closed = await run(['dead-letters', 'close', 'm0', '--reason', 'Nobody can read it.'])
    expect([closed.code, JSON.parse(closed.stdout)]).toMatchObject([0, { resolution: 'closed' }])
    expect(await list()).toMatchObject({ items: [] })
    const log = await run(['audit-log', '--subject', 'm0'])
    expect(JSON.parse(log.stdout)).toMatchObject({
      items: [{ action: 'dead_letter.close', reason: 'Nobody can read it.' }],
    })
  })

  test('rebuilds all rounds, and shows the progress', async () => {
    const bucket = await hub.miniflare.getR2Bucket('ROUNDS', 'hub')
    for (let i = 0; i < 101; i++) await bucket.put(`rounds/task:${i}`, '{}')
    const rebuilt = await run(['rebuild-rounds'])
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, '… 100 read, 0 written\n… 101 read, 0 written\n'])
    expect(JSON.parse(rebuilt.stdout)).toEqual({ read: 101, written: 0, skipped: 101, failed: [] })
  })

  test('is refused with the key of another wallet, and reports a missing key', async () => {
    const other = await run(['nodes', '--key-env', 'OTHER'], { OTHER: privateKeys.miner })
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('403 forbidden')])
    const none = await run(['nodes', '--key-env', 'NOBODY'])
    expect([none.code, none.stderr]).toEqual([
      2,
      'Error: NOBODY is not set; it must hold the key, 0x and 64 hex digits.\n',
    ])
  })
})
