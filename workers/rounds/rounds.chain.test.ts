import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { services } from '../services.ts'
import { SimulatedRounds } from '../test/rounds.ts'

const rounds = new SimulatedRounds()

beforeAll(async () => {
  await rounds.begin()
})
beforeEach(() => rounds.install())
afterAll(() => vi.useRealTimers())

test('a task that everybody runs alike becomes final', async () => {
  const { roundId, primaries } = await rounds.begun()
  const offers = await Promise.all(primaries.map((member) => member.offer()))
  for (const [i, member] of primaries.entries()) {
    member.accept(offers[i]!)
    expect(await member.vote(offers[i]!)).toMatchObject({ type: 'voted' })
  }
  expect(await rounds.task(roundId)).toMatchObject({ status: 'committee_agreed', output: 'hello' })
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello', success: true })
  const { rounds: store } = services(env)
  expect(await store.leases(roundId)).toMatchObject(
    [0, 1, 2].map(() => ({ state: 'finalized', proofStatus: 'verified', units: 2 })),
  )
})
