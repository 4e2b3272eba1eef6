import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profileStrings, resolveProfile } from './profile.ts'
import { describeVectors } from './vectors/suite.ts'

describeVectors('profile')

describe('resolveProfile', () => {
  test('property: a complete profile stays as it is', () => {
    fc.assert(
      fc.property(
        fc.record({ service: fc.string(), prefix: fc.string(), chain_id: fc.nat() }, { requiredKeys: [] }),
        (given) => {
          const profile = resolveProfile(given)
          expect(resolveProfile(profile)).toEqual(profile)
        },
      ),
    )
  })

  test('an undefined member counts as left out', () => {
    expect(resolveProfile({ service: undefined, prefix: 'p' })).toEqual(resolveProfile({ prefix: 'p' }))
  })
})

describe('profileStrings', () => {
  test('no default name survives in a renamed deployment', () => {
    const profile = resolveProfile({ service: 'Acme' })
    expect(JSON.stringify([profile, profileStrings(profile)])).not.toMatch(/hub/i)
  })
})
