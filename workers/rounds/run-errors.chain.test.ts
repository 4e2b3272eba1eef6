import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, client } from '../test/client.ts'
import { SimulatedRounds } from '../test/rounds.ts'
import { rowOf, simulatedRounds } from './testing/simulated.ts'

/** The module of these tests aborts with such an input as its message. */
const input = 'abort: no such key'
const failed = { success: false, output: '', events: [] }

describe('with a committee', () => {
  const { rounds, offered, decide } = simulatedRounds()
  test.each<[what: string, said: (string | undefined)[], error: string | null]>([
    [
      'the error that most members report',
      ['a lie', 'aborted: no such key', 'aborted: no such key'],
      'aborted: no such key',
    ],
    [
      'the error of one member, bounded and escaped',
      [undefined, `\u202e${'é'.repeat(125)}`, undefined],
      `\\u202e${'é'.repeat(125)}`,
    ],
    ['no error if no member reports one', [undefined, undefined, ''], null],
  ])('a task whose run fails shows %s', async (_, said, error) => {
    const { roundId, voters } = await offered({ input: `${input} ${Math.random()}` })
    for (const [position, { member, offer }] of voters.entries()) {
      const { error: _, ...frame } = member.voteOf(offer)
      const claimed = said[position]
      member.relay.send({ ...frame, ...(claimed !== undefined && { error: claimed }) })
      expect(await member.relay.next()).toMatchObject({ type: 'voted' })
    }
    expect(await rounds.task(roundId)).toMatchObject({ ...failed, status: 'committee_agreed', error })
    await decide(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ ...failed, status: 'finalized', error })
    expect(await rowOf(roundId)).toMatchObject({ state: 'finalized', error })
    const shown = await bodyOf(await client().get(`/v1/explorer/rounds/${roundId}`))
    expect(shown).toMatchObject({ state: 'finalized', success: false })
  })

  test('ignores the error that a member reports if the run did not fail', async () => {
    const { roundId, voters } = await offered()
    for (const { member, offer } of voters) {
      member.relay.send({ ...member.voteOf(offer), error: 'aborted: never' })
      expect(await member.relay.next()).toMatchObject({ type: 'voted' })
    }
    expect(await rounds.task(roundId)).toMatchObject({ success: true, output: 'hello', error: null })
  })
})

describe('without a committee', () => {
  const few = new SimulatedRounds()
  beforeAll(async () => {
    await few.begin({ members: 2 })
  })
  beforeEach(() => few.install())

  test('a task shows the error that a validator reports from its run', async () => {
    const { roundId } = await few.begun({ input })
    await few.mine(roundId)
    await few.tick(roundId)
    expect(await few.task(roundId)).toMatchObject({ ...failed, error: 'aborted: no such key' })
  })
})
