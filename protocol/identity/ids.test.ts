import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, FormatError, isRoundId } from '../encoding/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import {
  deriveDirectRoundId,
  deriveNodeId,
  deriveProjectId,
  deriveSubscriptionId,
  epochRoundId,
  isNodeId,
  isSlug,
  moduleRewardRoundId,
  SlugError,
} from './ids.ts'
import { resolveProfile } from './profile.ts'

describeVectors('project-id', 'subscription-id', 'vault-address', 'node-id', 'proof-id')

const profile = resolveProfile()
const hash = `0x${'3c'.repeat(32)}`
const address = `0x${'4d'.repeat(20)}`

describe('deriveProjectId', () => {
  property('another prefix gives another id', [fc.stringMatching(/^[a-z]{1,8}$/)], (prefix) => {
    const renamed = deriveProjectId(resolveProfile({ prefix }), address, 'slug')
    expect(renamed === deriveProjectId(profile, address, 'slug')).toBe(prefix === profile.prefix)
  })

  test('refuses a malformed slug and a malformed developer with different errors', () => {
    expect(() => deriveProjectId(profile, address, 'No')).toThrowError(SlugError)
    expect(() => deriveProjectId(profile, '0x12', 'slug')).toThrowError(FormatError)
  })

  property(
    'every slug it accepts has 3 to 48 characters',
    [fc.string({ maxLength: 60 })],
    (slug) => !isSlug(slug) || (slug.length >= 3 && slug.length <= 48),
  )
})

describe('deriveSubscriptionId', () => {
  test('names the malformed field', () => {
    expect(() => deriveSubscriptionId(hash, hash, hash)).toThrowError(
      expect.objectContaining({ field: 'owner' }),
    )
  })
})

describe('isNodeId', () => {
  property(
    'accepts every derived id, under its own profile only',
    [fc.uint8Array({ minLength: 32, maxLength: 32 })],
    (key) => {
      const id = deriveNodeId(profile, bytesToHex(key))
      expect(isNodeId(profile, id)).toBe(true)
      expect(isNodeId(resolveProfile({ node_id_prefix: 'unit-' }), id)).toBe(false)
    },
  )
})

describe('round ids', () => {
  const round = {
    function: 'f',
    gas_limit: 1,
    input_hash: hash,
    issued_at: 1,
    module_address: hash,
    nonce: '',
  }

  test('match the format of the notation', () => {
    const ids = [deriveDirectRoundId(round), epochRoundId(hash, 12, 0), moduleRewardRoundId(hash, 12, 3)]
    expect(ids.every(isRoundId)).toBe(true)
  })

  test('members other than the six do not change a direct round id', () => {
    expect(deriveDirectRoundId({ ...round, ...{ v: 2, input: 'x' } })).toBe(deriveDirectRoundId(round))
  })
})
