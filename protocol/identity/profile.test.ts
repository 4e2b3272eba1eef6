import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '../testing/property.ts'
import { readVectorFile } from '../vectors/format.ts'
import { describeVectors } from '../vectors/suite.ts'
import { describeProfileProblems, profileStrings, readProfile, resolveProfile } from './profile.ts'

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

describe('readProfile', () => {
  test('accepts every complete profile, and fills in missing members', () => {
    const complete = resolveProfile({ service: 'Acme', chain_id: 5 })
    for (const given of [{}, { service: 'Acme', chain_id: 5 }, complete])
      expect(readProfile(given)).toEqual({ profile: resolveProfile(given) })
  })

  test.each<[unknown, string]>([
    [null, 'must be a JSON object'],
    [[], 'must be a JSON object'],
    [{ servcie: 'Acme' }, 'servcie is not known; known are chain_id, service, prefix'],
    [{ service: 1 }, 'service must be a text'],
    [{ service: 'Acme\nCorp' }, 'service must be 1 to 64 printable ASCII characters'],
    [
      { service: 'Acme Corp' },
      'prefix must be 1 to 32 of a-z, 0-9 and hyphens, with a letter first: it follows',
    ],
    [{ prefix: 'A' }, 'prefix must be 1 to 32 of a-z'],
    [{ chain_id: '5' }, 'chain_id must be a whole number above 0'],
    [{ chain_id: 0 }, 'chain_id must be a whole number above 0'],
    [{ network: '-' }, 'network must be 1 to 63 of a-z'],
    [{ token_symbol: '€' }, 'token_symbol must be 1 to 31 letters'],
    [{ header_prefix: 'X Hub: ' }, 'header_prefix must be 1 to 63 letters'],
    [{ api_key_prefix: 'a.' }, 'api_key_prefix must be 1 to 32 of'],
    [
      { api_key_prefix: 'a', session_token_prefix: 'ab' },
      'api_key_prefix must not begin with session_token_prefix',
    ],
  ])('refuses %j and names the member', (given, message) => {
    const { problems } = readProfile(given) as { problems: { member: string; message: string }[] }
    expect(describeProfileProblems(problems)).toContain(message)
  })

  test('reports all problems at once', () => {
    const read = readProfile({ network: '', chain_id: 0.5, other: 1 })
    expect('problems' in read && read.problems.map(({ member }) => member)).toEqual([
      'other',
      'chain_id',
      'network',
    ])
  })
})

describe('profileStrings', () => {
  test('a renamed deployment contains no default name', () => {
    const profile = resolveProfile({ service: 'Acme' })
    expect(JSON.stringify([profile, profileStrings(profile)])).not.toMatch(/hub/i)
  })

  test('another profile changes every text, hash and signature that contains a name', () => {
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
