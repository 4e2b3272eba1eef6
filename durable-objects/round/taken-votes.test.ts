import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { KeptRound } from './kept-round.ts'
import { TakenVotes } from './taken-votes.ts'
import { begun, processId, start, told } from './testing/rounds.ts'
import * as transitions from './transitions.ts'
import type { Judgement } from './types.ts'

const invalid: Judgement = { status: 'invalid', message: 'it has no signature' }

/** The end of a member that sends these votes at once, which are judged in this order, and then nothing more. */
async function endOf(...judgements: (Judgement | Error)[]) {
  const stub = env.ROUND.getByName(`votes ${judgements.length}`)
  return runInDurableObject(stub, async (_, { storage }) => {
    const kept = new KeptRound(storage, processId)
    kept.become(transitions.accepted(told(begun()), 0))
    const judging: PromiseWithResolvers<Judgement>[] = []
    const judge = () => {
      const one = Promise.withResolvers<Judgement>()
      judging.push(one)
      return one.promise
    }
    const votes = new TakenVotes(kept, { judge, reportInvalid: async () => {} })
    const body = { vote: {}, output_b64: '', events: [] }
    const taken = judgements.map(() => votes.take(kept.round!.leases[0]!, body, start + 1))
    for (const [i, judgement] of judgements.entries())
      if (judgement instanceof Error) judging[i]!.reject(judgement)
      else judging[i]!.resolve(judgement)
    await Promise.all(taken)
    const { state, missedBecause } = transitions.passTime(kept.round!, start + 3_600).leases[0]!
    await storage.deleteAll()
    return { state, missedBecause }
  })
}

test.each([1, 2, 3])('%d invalid votes that are judged at once excuse nobody', async (count) => {
  const judgements = Array.from({ length: count }, () => invalid)
  expect(await endOf(...judgements)).toEqual({ state: 'missed', missedBecause: 'late' })
})

test('a vote that cannot be judged excuses its member, also beside an invalid one', async () => {
  const away = new Error('the index is away')
  const excused = { state: 'cancelled', missedBecause: 'hub_away' }
  expect(await endOf(away)).toEqual(excused)
  expect(await endOf(away, invalid)).toEqual(excused)
})
