import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '../testing/property.ts'
import { readVectorFile } from '../vectors/format.ts'
import { describeVectors } from '../vectors/suite.ts'
import { profileStrings, resolveProfile } from './profile.ts'

describeVectors('profile', 'renamed')

describe('resolveProfile', () => {
  property(
    'a complete profile stays as it is',
    [fc.record({ service: fc.string(), prefix: fc.string(), chain_id: fc.nat() }, { requiredKeys: [] })],
    (given) => {
      const profile = resolveProfile(given)
      expect(resolveProfile(profile)).toEqual(profile)
    },
  )

  test('an undefined member counts as left out', () => {
    expect(resolveProfile({ service: undefined, prefix: 'p' })).toEqual(resolveProfile({ prefix: 'p' }))
  })
})

describe('profileStrings', () => {
  test('no default name survives in a renamed deployment', () => {
    const profile = resolveProfile({ service: 'Acme' })
    expect(JSON.stringify([profile, profileStrings(profile)])).not.toMatch(/hub/i)
  })

  test('another profile changes every text, hash and signature that has a name in it', () => {
    for (const renamed of readVectorFile(path.join(import.meta.dirname, '../vectors/renamed.json'))) {
      const [original] = readVectorFile(path.join(import.meta.dirname, `../vectors/${renamed.topic}.json`))
      for (const { name, output } of renamed.cases) {
        expect(JSON.stringify(output)).not.toMatch(/hub/i)
        // Some are about renamed deployments alone: they judge what was signed under the default names.
        const same = original!.cases.find((one) => one.name === name)
        if (same !== undefined) expect(output).not.toEqual(same.output)
      }
    }
  })
})
