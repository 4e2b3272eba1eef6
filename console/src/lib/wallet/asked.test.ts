import { expect, test } from 'vitest'
import { deriveNodeId, resolveProfile } from '../../../../protocol/identity/index.ts'
import { isAsAsked } from './asked.ts'

const profile = resolveProfile()
const key = `0x${'ab'.repeat(32)}`

test.each([
  ['amount', '1000000000000000001', '1000000000000000001', true],
  ['amount', '1000000000000000001', '1000000000000000000', false],
  ['payout', '0xab', '0xAB', true],
  ['nodeKey', key, deriveNodeId(profile, key), true],
  ['nodeKey', key, key, false],
  ['nonce', '1', undefined, false],
])('%s %s matches the requested value %s: %s', (name, signed, asked, expected) =>
  expect(isAsAsked(profile, name, signed, asked)).toBe(expected),
)
