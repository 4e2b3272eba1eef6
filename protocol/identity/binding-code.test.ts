import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ed25519PublicKey, evmAddress } from '../signatures/index.ts'
import { createBindingRecord } from './binding.ts'
import { formatBindingCode, parseBindingCode } from './binding-code.ts'
import { resolveProfile } from './profile.ts'

const profile = resolveProfile()
const ownerKey = `0x${'71'.repeat(32)}`
const nodeSeed = `0x${'82'.repeat(32)}`
const fields = {
  action: 'bind',
  owner: evmAddress(ownerKey),
  public_key: ed25519PublicKey(nodeSeed),
  issued_at: 1_800_000_000,
  nonce: '5'.repeat(32),
} as const
const { owner_signature: _, ...record } = createBindingRecord(profile, fields, {
  ownerKey: null,
  nodeKey: nodeSeed,
})
const code = formatBindingCode({ ...fields, node_signature: record.node_signature! })

test('a code parses to the record that its node signed, alone or at the end of a URL', () => {
  expect(parseBindingCode(profile, code)).toEqual(record)
  expect(parseBindingCode(profile, ` https://hub.example/me#${code}\n`)).toEqual(record)
})

test('a text that is not a code of a device of this deployment parses to null', () => {
  const parts = code.split('.')
  fc.assert(
    fc.property(fc.nat(parts.length - 1), fc.string({ maxLength: 90 }), (at, other) => {
      const wrong = parts.with(at, other).join('.')
      const read = parseBindingCode(profile, wrong)
      // Another time, nonce or signature may be well formed, and is another record.
      if (read !== null)
        expect(wrong.trim().replace(/^.*#/, '')).toBe(formatBindingCode({ ...fields, ...read }))
    }),
  )
  expect(parseBindingCode(profile, `${code}.x`)).toBeNull()
  expect(parseBindingCode(profile, code.replace(fields.owner, '0x12'))).toBeNull()
})
