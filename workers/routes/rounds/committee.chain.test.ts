import { beforeAll, expect, test, vi } from 'vitest'
import { bodyOf, client } from '../../test/client.ts'
import { createValidators } from '../../test/evidence.ts'
import { createSeatedProject, right } from '../../test/final-rounds.ts'

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 3_600_000) + 2

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((epoch * 3_600 + 160) * 1_000)
})

test('a round shows the committee that anyone can recompute from the set of its epoch', async () => {
  const validators = await createValidators(4)
  const { projectId, publish } = await createSeatedProject(5, epoch, validators)
  const { roundId, round } = await publish({ deeds: [right, right, right, right, right] })
  const shown = await client().get(`/v1/explorer/rounds/${roundId}`)
  const drawn = await client().get(`/v1/committees/${projectId}/${epoch}/${round.seq}`)
  const { committee } = await bodyOf(shown)
  expect(committee).toEqual(await drawn.json())
})
