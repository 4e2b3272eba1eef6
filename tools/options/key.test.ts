import { afterEach, expect, test, vi } from 'vitest'
import { privateKeys } from '../../localnet/private-keys.ts'
import { UsageError } from '../../scripts/command/errors.ts'
import { defaultHub } from './hub.ts'
import { readKey } from './key.ts'

const hub = 'https://hub.example'

afterEach(() => vi.unstubAllEnvs())

test('the key comes from the variable, the named account, or the default account', () => {
  const own = `0x${'ab'.repeat(32)}`
  vi.stubEnv('OWN_KEY', own)
  expect(readKey({ 'key-env': 'OWN_KEY' }, 'developer', hub)).toBe(own)
  expect(readKey({ as: 'miner' }, 'developer', hub)).toBe(privateKeys.miner)
  expect(readKey({}, 'developer', defaultHub)).toBe(privateKeys.developer)
})

test.each([
  [
    { as: 'nobody' },
    '--as must be one of relayer, operator, developer, miner, treasury, arbiter, admin, not "nobody".',
  ],
  [{ as: 'toString' }, '--as must be one of'],
  [{ as: 'miner', 'key-env': 'OWN_KEY' }, 'Give --as or --key-env, not both.'],
  [{}, 'Name your wallet with --key-env: https://hub.example is not on this machine'],
  [{ 'key-env': 'OWN_KEY' }, 'OWN_KEY must hold 0x and 64 hex digits.'],
])('refuses %j', (options, message) => {
  vi.stubEnv('OWN_KEY', '0xab')
  expect(() => readKey(options, 'developer', hub)).toThrow(UsageError)
  expect(() => readKey(options, 'developer', hub)).toThrow(message)
})
