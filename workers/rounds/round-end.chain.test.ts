import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { RoundObject } from '../../durable-objects/round/object.ts'
import { services } from '../services.ts'
import { bonded, indexState } from '../test/evidence.ts'
import { SimulatedRounds, written } from '../test/rounds.ts'
import { minCollateral } from '../test/subscription.ts'
import { rowOf, runSql } from '../test/tables.ts'

const rounds = new SimulatedRounds()

beforeAll(async () => {
  await rounds.begin()
  for (const { member } of rounds.members)
    await indexState('subscription', member.subscriptionId, bonded(minCollateral, member.owner.address))
})
beforeEach(() => rounds.install())

test('a round credits the members that were right, and its offences are recorded automatically', async () => {
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

test('a round whose message was lost with its process still appears in lists', async () => {
  const { roundId, primaries } = await rounds.begun()
  const project = env.PROJECT_COMMITTEES.getByName(rounds.projectId)
  const terms = await runInDurableObject(project, (_, { storage }) =>
    JSON.parse(
      storage.sql.exec<{ terms: string }>('SELECT terms FROM tasks WHERE round_id = ?', roundId).one().terms,
    ),
  )
  const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
  for (const [i, member] of primaries.entries()) member.accept(offers[i]!)
  for (const [i, member] of primaries.entries())
    expect(await member.vote(offers[i]!)).toMatchObject({ type: 'voted' })
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  await written(roundId)
  const row = () => rowOf('SELECT state, agreeing FROM rounds WHERE round_id = ?', roundId)
  const before = await row()
  expect(before).toEqual({ state: 'finalized', agreeing: 3 })
  await runSql('DELETE FROM leases WHERE round_id = ?', roundId)
  await runSql('DELETE FROM rounds WHERE round_id = ?', roundId)
  // The next process of its project finds the row of the task, and begins its round again.
  const round = env.ROUND.getByName(roundId) as unknown as Pick<RoundObject, 'start'>
  expect(await round.start(terms, true)).toBeNull()
  await written(roundId)
  expect(await row()).toEqual(before)
})
