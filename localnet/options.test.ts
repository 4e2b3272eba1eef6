import { describe, expect, test } from 'vitest'
import { asksForHelp, commandWith, readOptions } from './options.ts'

describe('readOptions', () => {
  test('without arguments: the usual port, a chain of its own, its data kept', () => {
    expect(readOptions([])).toEqual({
      port: 8787,
      chainPort: null,
      blockSecs: 4,
      nodePort: null,
      rpc: null,
      profile: null,
      paramsChanges: null,
      fresh: false,
      sample: true,
      nodes: true,
      platform: null,
    })
  })

  test('accepts ports, a chain and a fresh start', () => {
    const args = [
      '--port',
      '0',
      '--chain-port',
      '65535',
      '--node-port',
      '7001',
      '--block-time',
      '2',
      '--fresh',
      '--no-sample',
      '--no-nodes',
    ]
    expect(readOptions(args)).toEqual({
      port: 0,
      chainPort: 65_535,
      blockSecs: 2,
      nodePort: 7001,
      rpc: null,
      profile: null,
      paramsChanges: null,
      fresh: true,
      sample: false,
      nodes: false,
      platform: null,
    })
    expect(readOptions(['--rpc', 'https://chain.example/key'])).toMatchObject({
      rpc: 'https://chain.example/key',
    })
    expect(readOptions(['--params-changes', 'changes.json'])).toMatchObject({ paramsChanges: 'changes.json' })
    expect(readOptions(['--platform', 'cloudflare'])).toMatchObject({ platform: { seed: 1 } })
    expect(readOptions(['--platform', 'cloudflare', '--seed', '7'])).toMatchObject({ platform: { seed: 7 } })
  })

  test.each([
    ['one port for hub and chain', ['--port', '9000', '--chain-port', '9000'], 'cannot both have port 9000'],
    ['a word for a port', ['--port', 'http'], '--port must be a number from 0 to 65535, not "http".'],
    ['an exponent', ['--port', '1e3'], '--port must be a number'],
    ['hexadecimal digits', ['--port', '0x50'], '--port must be a number'],
    ['blanks', ['--port', ' 80'], '--port must be a number'],
    ['no digit', ['--port', ''], '--port must be a number'],
    ['a sign', ['--port=-1'], '--port must be a number'],
    ['a fraction', ['--port', '80.0'], '--port must be a number'],
    ['a port too high', ['--chain-port', '65536'], '--chain-port must be a number'],
    ['a port that leaves none for the other nodes', ['--node-port', '65501'], '--node-port must be at most'],
    ['a chain that is not a URL', ['--rpc', '127.0.0.1:8545'], '--rpc must be an http or https URL'],
    ['a chain over another protocol', ['--rpc', 'ws://127.0.0.1:8545'], '--rpc must be an http or https URL'],
    ['a port for an external chain', ['--rpc', 'http://a', '--chain-port', '1'], 'Use only one of them.'],
    [
      'a block time for an external chain',
      ['--rpc', 'http://a', '--block-time', '2'],
      'Use only one of them.',
    ],
    ['blocks without time', ['--block-time', '0'], '--block-time must be a number of seconds from 1 to 60'],
    ['blocks of more than a minute', ['--block-time', '61'], '--block-time must be'],
    ['another platform', ['--platform', 'aws'], '--platform must be "cloudflare", not "aws".'],
    ['a seed without the platform that uses it', ['--seed', '1'], 'Use it with --platform cloudflare.'],
    ['a word for a seed', ['--platform', 'cloudflare', '--seed', 'x'], '--seed must be a number'],
    ['a flag without its value', ['--port'], 'Usage: npm start'],
    ['an unknown flag', ['--prot', '1'], 'Usage: npm start'],
    ['an extra argument', ['fresh'], 'Usage: npm start'],
  ])('refuses %s', (_, args, message) => {
    expect(() => readOptions(args)).toThrow(
      expect.objectContaining({ name: 'UsageError', exitCode: 2, message: expect.stringContaining(message) }),
    )
  })

  test('either flag asks for help', () => {
    expect([['--help'], ['-h'], []].map(asksForHelp)).toEqual([true, true, false])
  })
})

describe('commandWith', () => {
  test.each([
    [[], 'npm start -- --port 1'],
    [['--port', '9000', '--no-sample'], 'npm start -- --no-sample --port 1'],
    [['--fresh', '--port=9000', '--chain-port', '2'], 'npm start -- --fresh --chain-port 2 --port 1'],
    [['--rpc', "http://a/?b='c'&d"], "npm start -- --rpc 'http://a/?b='\\''c'\\''&d' --port 1"],
  ])('%j is continued as %s', (args, command) => {
    expect(commandWith(args, '--port', '1', {})).toBe(command)
  })

  test('a flag is added without a value, and the data folder stays the same', () => {
    const env = { LOCALNET_DIR: '/tmp/my net' }
    expect(commandWith(['--rpc', 'http://a'], '--fresh', null, env)).toBe(
      "LOCALNET_DIR='/tmp/my net' npm start -- --rpc http://a --fresh",
    )
    expect(commandWith(['--fresh', '--port', '1'], '--fresh', null, {})).toBe('npm start -- --port 1 --fresh')
  })
})
