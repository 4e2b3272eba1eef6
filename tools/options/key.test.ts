import { afterEach, expect, test, vi } from 'vitest'
import { privateKeys } from '../../localnet/private-keys.ts'
import { UsageError } from '../../scripts/command/errors.ts'
import { readKey } from './key.ts'

afterEach(() => vi.unstubAllEnvs())

test('the key is that of the variable, of the named account, or of the default one', () => {
  const own = `0x${'ab'.repeat(32)}`
  vi.stubEnv('OWN_KEY', own)
  expect(readKey({ 'key-env': 'OWN_KEY' }, 'developer')).toBe(own)
  expect(readKey({ as: 'miner' }, 'developer')).toBe(privateKeys.miner)
  expect(readKey({}, 'developer')).toBe(privateKeys.developer)
})

test.each([
  [
    { as: 'nobody' },
    '--as must be one of relayer, operator, developer, miner, treasury, arbiter, admin, not "nobody".',
  ],
  [{ as: 'toString' }, '--as must be one of'],
  [{ as: 'miner', 'key-env': 'OWN_KEY' }, 'Give --as or --key-env, not both.'],
  [{ 'key-env': 'OWN_KEY' }, 'OWN_KEY must hold 0x and 64 hex digits.'],
])('refuses %j', (options, message) => {
  vi.stubEnv('OWN_KEY', '0xab')
  expect(() => readKey(options, 'developer')).toThrow(UsageError)
  expect(() => readKey(options, 'developer')).toThrow(message)
})
