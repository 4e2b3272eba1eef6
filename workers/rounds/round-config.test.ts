import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { readSettings } from '../env.ts'
import { createMembers } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { createValidators } from '../test/evidence.ts'
import { right, simulateRound } from '../test/final-rounds.ts'
import { createRoundConfig } from './round-config.ts'

afterEach(() => void vi.useRealTimers())

test('a link that does not answer holds up its round for five seconds', async () => {
  const members = await createMembers(1)
  const validators = await createValidators(1)
  const { object } = simulateRound({ members, validators, deeds: [right], issuedAt: await networkNow() })
  const silent = () => new Promise(() => {})
  const NODE_LINK = { getByName: () => ({ offer: silent, cancel: silent }) } as never
  const { offer, cancel } = createRoundConfig({ ...env, NODE_LINK }, readSettings(env))
  const round = { ...object, terms: { ...object.terms, input: '' } }
  const lease = object.leases[0]!
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const told = Promise.allSettled([offer(round, lease), cancel(round, lease)])
  await vi.advanceTimersByTimeAsync(5_000)
  expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
