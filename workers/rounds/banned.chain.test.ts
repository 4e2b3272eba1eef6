import { expect, test } from 'vitest'
import { createOperator } from '../test/callers.ts'
import { leasesOf, objectLeases, simulatedRounds, voteAll } from './testing/simulated.ts'

const { rounds, accepted, later, decide } = simulatedRounds()

test('a banned member owes no vote for its current task, nor for later ones until it is back', async () => {
  const operator = await createOperator()
  const { roundId, voters } = await accepted()
  const [banned, ...others] = voters as [(typeof voters)[number], ...typeof voters]
  const ban = (isBanned: boolean) =>
    operator.client.post(`/admin/v1/devices/${banned.member.member.device.nodeId}/ban`, { banned: isBanned })
  expect((await ban(true)).status).toBe(200)
  expect((await ban(false)).status).toBe(200)
  await voteAll(others)
  await later(roundId, 31)
  await later(roundId, 31)
  await decide(roundId)
  const excused = { state: 'cancelled', missedBecause: 'hub_away', proofStatus: null }
  expect((await leasesOf(roundId)).find(({ nodeKey }) => nodeKey === banned.member.key)).toMatchObject(
    excused,
  )

  for (let tasks = 0; tasks < 3; tasks++) {
    const next = await rounds.begun()
    await rounds.tick(next.roundId)
    const lease = (await objectLeases(next.roundId))?.find(({ nodeKey }) => nodeKey === banned.member.key)
    expect(lease === undefined ? excused : lease).toMatchObject({
      state: 'cancelled',
      missedBecause: 'hub_away',
    })
  }
})
