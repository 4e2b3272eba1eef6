import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { services } from '../services.ts'
import { bonded, indexState } from '../test/evidence.ts'
import { SimulatedRounds, written } from '../test/rounds.ts'
import { minCollateral } from '../test/subscription.ts'
import { rowOf } from '../test/tables.ts'

const rounds = new SimulatedRounds()

beforeAll(async () => {
  await rounds.begin()
  for (const { member } of rounds.members)
    await indexState('subscription', member.subscriptionId, bonded(minCollateral, member.owner.address))
})
beforeEach(() => rounds.install())

test('a round of real members credits who was right, and its offences are on record by themselves', async () => {
  const { roundId, primaries } = await rounds.begun()
  const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
  for (const [i, member] of primaries.entries()) member.accept(offers[i]!)
  for (const [i, member] of primaries.entries())
    expect(await member.vote(offers[i]!, i === 2 ? 'other ' : '')).toMatchObject({ type: 'voted' })
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized' })
  await written(roundId)

  const { subscriptions } = services(env)
  const found = await Promise.all(primaries.map(({ member }) => subscriptions.find(member.subscriptionId)))
  expect(found).toMatchObject([
    { creditedRounds: 1, reputation: 5_025 },
    { creditedRounds: 1, reputation: 5_025 },
    { creditedRounds: 0, reputation: 4_000, disagreements: 1 },
  ])
  const slash = () => rowOf('SELECT kind, node_id FROM slashes WHERE round_id = ?', roundId)
  await vi.waitUntil(async () => (await slash()) !== null)
  expect(await slash()).toEqual({ kind: 'invalid_result', node_id: primaries[2]?.member.device.nodeId })
})
