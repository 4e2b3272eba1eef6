import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { planSecrets, putSecrets, savedSecrets } from './secrets.ts'
import { completeEnvironment } from './testing/environments.ts'
import { RecordedAccount } from './testing/recorded-account.ts'

const key = (byte: string) => `0x${byte.repeat(32)}` as const
const without = { present: new Set<string>(), rotate: null, given: {}, isKept: true }
const all = new Set(['HUB_SECRET', 'COORDINATOR_SEED', 'RELAYER_PRIVATE_KEY', 'RELAYER_PREVIOUS_KEYS'])
const fresh = completeEnvironment({ relayer: '' })
const own = completeEnvironment({ relayer: privateKeyToAddress(key('07')) })

test('a missing secret is generated, a new one each time, and the account of a key is printed', () => {
  const { values, notes, missing } = planSecrets(fresh, without)
  expect(Object.keys(values)).toEqual(['HUB_SECRET', 'COORDINATOR_SEED', 'RELAYER_PRIVATE_KEY'])
  expect(missing).toEqual([])
  expect(notes.join()).toContain(
    privateKeyToAddress(values.RELAYER_PRIVATE_KEY as `0x${string}`).toLowerCase(),
  )
  expect(planSecrets(fresh, without).values).not.toEqual(values)
})

test('a relayer key is not generated if no file keeps it, or if the environment names its account', () => {
  for (const [environment, isKept] of [
    [fresh, false],
    [own, true],
  ] as const)
    expect(planSecrets(environment, { ...without, isKept }).missing).toMatchObject([
      { name: 'RELAYER_PRIVATE_KEY' },
    ])
})

test('an existing secret stays, also if variables are set, unless it is rotated', () => {
  const given = { HUB_SECRET: 'x'.repeat(40), COORDINATOR_SEED: key('02') }
  expect(planSecrets(own, { ...without, present: all, given }).values).toEqual({})
  const rotated = planSecrets(own, { ...without, present: all, given, rotate: 'COORDINATOR_SEED' })
  expect(rotated.values).toEqual({ COORDINATOR_SEED: key('02') })
})

test('a value that nobody could read again is not set by a rotation, and named when it is the first', () => {
  expect(planSecrets(own, { ...without, isKept: false }).notes[0]).toMatch(
    /^HUB_SECRET {2}generated, and kept nowhere: restoring a backup needs it/,
  )
  const rotated = { ...without, present: all, rotate: 'HUB_SECRET' }
  expect(() => planSecrets(own, { ...rotated, isKept: false })).toThrow(
    'a restored network needs it: add --save FILE',
  )
  expect(planSecrets(own, rotated).values).toHaveProperty('HUB_SECRET')
})

test('a rotation of the relayer key also needs the previous keys', () => {
  const rotated = { ...without, present: all, rotate: 'RELAYER_PRIVATE_KEY' }
  expect(() => planSecrets(own, rotated)).toThrow(/RELAYER_PREVIOUS_KEYS/)
  const given = { RELAYER_PRIVATE_KEY: key('08'), RELAYER_PREVIOUS_KEYS: key('07') }
  expect(planSecrets(own, { ...rotated, given }).values).toEqual(given)
})

test.each([
  [
    'the key of another relayer than the file names',
    { RELAYER_PRIVATE_KEY: key('08') },
    null,
    /is the key of 0x.*, and the file names 0x/,
  ],
  ['nonsense', { RELAYER_PRIVATE_KEY: 'nonsense' }, null, /RELAYER_PRIVATE_KEY: /],
  ['a setting that is not a secret', {}, 'CHAIN_NAME', /CHAIN_NAME is not a secret of the hub/],
])('is refused: %s', (_, given, rotate, said) => {
  expect(() => planSecrets(own, { ...without, given, rotate })).toThrow(said)
})

test('a secret is set at once, or for the next version if the newest one has no traffic', async () => {
  const account = new RecordedAccount()
  const put = (HUB_SECRET: string) => putSecrets(account.wrangler, 'hub', { HUB_SECRET })
  expect(await put('one')).toBe(true)
  account.deployments.push({
    ...{ created_on: '2026-11-01', annotations: {} },
    versions: [{ version_id: 'v1', percentage: 100 }],
  })
  expect(await put('two')).toBe(true)
  await account.wrangler(['versions', 'upload'])
  const running = account.deployments.at(-1)
  expect(await put('three')).toBe(false)
  expect([account.secrets, account.deployments.at(-1)]).toEqual([{ HUB_SECRET: 'three' }, running])
})

test('the file of secrets keeps a replaced key, whose account may still have a balance', () => {
  const given = { RELAYER_PREVIOUS_KEYS: '' }
  const wanted = { present: all, rotate: 'RELAYER_PRIVATE_KEY', given, isKept: true }
  const { values } = planSecrets(own, wanted)
  const kept = { HUB_SECRET: 'same', RELAYER_PRIVATE_KEY: key('07') }
  const saved = savedSecrets(kept, values, new Date(0))
  expect(saved).toEqual({
    ...{ HUB_SECRET: 'same', RELAYER_PRIVATE_KEY: values.RELAYER_PRIVATE_KEY, RELAYER_PREVIOUS_KEYS: '' },
    'RELAYER_PRIVATE_KEY until 1970-01-01T00:00:00.000Z': key('07'),
  })
  expect(savedSecrets(saved, {}, new Date(1))).toEqual(saved)
})
