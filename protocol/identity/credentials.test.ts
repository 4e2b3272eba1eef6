import { describe, expect, test } from 'vitest'
import { apiKeyIdLength, formatApiKey, isSessionToken, parseApiKey, secretLength } from './credentials.ts'
import { resolveProfile } from './profile.ts'

const profile = resolveProfile()
const renamed = resolveProfile({ service: 'Swarm' })
const secret = 'k'.repeat(secretLength)
const id = 'a1B2c3D4'

test('a session token has the prefix of its deployment and 43 characters of base64url', () => {
  expect(isSessionToken(profile, `hubsess_${secret}`)).toBe(true)
  expect(isSessionToken(renamed, `swarmsess_${'_-'.repeat(21)}9`)).toBe(true)
  for (const text of [
    `hubsess_${secret}k`,
    `hubsess_${secret.slice(1)}`,
    `hubsess_${secret.slice(1)}+`,
    secret,
  ])
    expect(isSessionToken(profile, text)).toBe(false)
  expect(isSessionToken(renamed, `hubsess_${secret}`)).toBe(false)
})

describe('an API key', () => {
  test('parses to the id and secret from which it was formatted', () => {
    expect(id).toHaveLength(apiKeyIdLength)
    expect(formatApiKey(profile, { id, secret })).toBe(`hub_test_${id}_${secret}`)
    expect(parseApiKey(profile, `hub_test_${id}_${secret}`)).toEqual({ id, secret })
  })

  test.each([
    ['another prefix', `swarm_test_${id}_${secret}`],
    ['no prefix', `${id}_${secret}`],
    ['a hyphen as the separator', `hub_test_${id}-${secret}`],
    ['an id of seven characters', `hub_test_${id.slice(1)}_${secret}`],
    ['an id with a hyphen', `hub_test_${id.slice(1)}-_${secret}`],
    ['a longer secret', `hub_test_${id}_${secret}k`],
    ['nothing', ''],
  ])('%s is not a credential', (_, text) => {
    expect(parseApiKey(profile, text)).toBeNull()
  })
})
