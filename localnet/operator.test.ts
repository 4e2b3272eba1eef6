import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts, privateKeys } from './accounts.ts'
import { bundleHub } from './bundle.ts'
import { type Hub, startHub } from './hub.ts'
import { commands, readCommand, usage } from './operator-commands.ts'
import { probePort } from './port.ts'
import { signIn } from './session.ts'
import { UsageError } from './state.ts'

describe('operator commands', () => {
  test.each([
    ['review-queue', { method: 'GET', path: '/admin/v1/review-queue' }],
    ['nodes --status pending', { method: 'GET', path: '/admin/v1/nodes?status=pending' }],
    ['node approve node-1', { method: 'POST', path: '/admin/v1/nodes/node-1/approve', json: {} }],
    [
      'project reject 0x01 --reason no',
      { method: 'POST', path: '/admin/v1/projects/0x01/review', json: { action: 'reject', reason: 'no' } },
    ],
    [
      'project approve 0x01 --condition one --condition two',
      {
        method: 'POST',
        path: '/admin/v1/projects/0x01/review',
        json: { action: 'approve', conditions: ['one', 'two'] },
      },
    ],
    [
      'verification approve 0x02',
      { method: 'POST', path: '/admin/v1/developers/0x02/verification', json: { action: 'approve' } },
    ],
    ['faucet close', { method: 'PUT', path: '/admin/v1/faucet', json: { enabled: false } }],
    [
      'faucet open --amount 5',
      { method: 'PUT', path: '/admin/v1/faucet', json: { enabled: true, amount: '5' } },
    ],
    ['node revoke ../x', { method: 'POST', path: '/admin/v1/nodes/..%2Fx/revoke', json: {} }],
  ])('%s', (line, call) => {
    expect(readCommand(line.split(' '))).toMatchObject({ call })
  })

  test.each([
    ['nodes pending', '"nodes" takes no "pending".'],
    ['node approve', '"node approve" needs <node_id>.'],
    ['node', '"node" needs one of approve, revoke.'],
    [
      'project frobnicate 0x1',
      '"project" needs one of approve, reject, pause, resume, delist, not "frobnicate".',
    ],
    ['project delist 0x1 0x2', '"project delist 0x1" takes no "0x2".'],
    ['faucet', '"faucet" needs one of open, close.'],
    ['x', 'There is no command "x".'],
    ['--reason x', 'Name a command.'],
    ['relayer --reason x', '"relayer" takes no --reason.'],
    ['node approve node-1 --condition x', '"node approve node-1" takes no --condition.'],
    ['faucet open --colour red', "Unknown option '--colour'"],
    ['faucet open --amount 1.5', '--amount must be a whole number of base units below 2^256, not "1.5".'],
    ['nodes --hub nodes', '--hub must be an http or https URL without a path'],
  ])('refuses %s', (line, message) => {
    const read = () => readCommand(line.split(' '))
    expect(read).toThrow(UsageError)
    expect(read).toThrow(message)
  })

  test('the help names every command', () => {
    for (const { words } of commands) expect(usage).toContain(words.join(' '))
    expect(readCommand(['--help'])).toEqual({ help: usage })
  })

  test('the help of a command is about that command', () => {
    const { help } = readCommand(['nodes', '--help']) as { help: string }
    expect(help).toContain('--status STATUS')
    expect(help).not.toContain('faucet')
  })
})

describe('npm run operator', () => {
  let hub: Hub
  let origin: string
  beforeAll(async () => {
    const port = await probePort(0)
    origin = `http://localhost:${port}`
    hub = await startHub({
      script: await bundleHub(),
      port,
      vars: {
        HUB_SECRET: 'a secret that only tests know, long enough',
        BASE_URL: origin,
        OPERATOR_ADDRESSES: accounts.operator.address.toLowerCase(),
      },
    })
  })
  afterAll(() => hub.stop())

  const run = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, ['localnet/operator.ts', ...args, '--hub', origin], {
        env: { ...process.env, ...env },
      })
      const output = { stdout: '', stderr: '' }
      child.stdout.on('data', (data) => {
        output.stdout += data
      })
      child.stderr.on('data', (data) => {
        output.stderr += data
      })
      child.on('close', (code) => resolve({ code, ...output }))
    })

  test('decides as the operator of the local network, and prints what the hub answers', async () => {
    const { token, address } = await signIn(origin, privateKeys.developer)
    await fetch(`${origin}/v1/developers/me/enrollment`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }),
    })
    const approved = await run(['enrollment', 'approve', address])
    expect([approved.code, JSON.parse(approved.stdout)]).toMatchObject([0, { address, enrollment: 'active' }])
    const log = await run(['audit-log', '--subject', address])
    expect(JSON.parse(log.stdout)).toMatchObject({ items: [{ action: 'developer.enrollment.approve' }] })
    const again = await run(['enrollment', 'approve', address])
    expect([again.code, JSON.parse(again.stdout), again.stderr]).toMatchObject([
      1,
      { error: 'invalid_state' },
      expect.stringContaining('409 invalid_state'),
    ])
  })

  test('with the key of somebody else it is refused; with none it says so', async () => {
    const other = await run(['nodes', '--key-env', 'OTHER'], { OTHER: privateKeys.miner })
    expect([other.code, JSON.parse(other.stdout)]).toMatchObject([1, { error: 'forbidden' }])
    const none = await run(['nodes', '--key-env', 'NOBODY'])
    expect([none.code, none.stderr]).toEqual([2, 'Error: NOBODY must hold 0x and 64 hex digits.\n'])
  })
})
