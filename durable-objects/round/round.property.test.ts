import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueEffects } from './due.ts'
import { agreedAtOf, beginRound, deadlineOf, publicState, type Round } from './round.ts'
import { drawn, expectInOrder, perform, processId, start, terms, voteOf } from './testing/rounds.ts'
import { accepted, declined, isVoteAwaited, passTime } from './transitions.ts'

type Step =
  | { kind: 'accept' | 'decline' | 'vote' | 'other'; position: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'work'; isLost: boolean }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('accept' as const, 'decline' as const, 'vote' as const, 'other' as const),
      position: fc.nat(4),
    }),
    fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ kind: fc.constant('work' as const), isLost: fc.boolean() }),
  ),
  { maxLength: 30 },
)

describe('property: for any events, in any order, and with any losses', () => {
  const order = ['pending', 'committee_agreed', 'escalated', 'finalized']

  test('a round ends exactly once, and its times and votes obey the rules', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1 }), (given, skews) => {
        // The object moves between machines, whose clocks differ.
        let [elapsed, now] = [0, start + skews[0]!]
        let round: Round = beginRound(terms, processId)
        const work = (isLost: boolean) => {
          for (const effect of dueEffects(round, now)) {
            const after = perform(round, effect, now)
            // An effect that was carried out and not noted is carried out again.
            round = isLost ? round : after
          }
        }
        let taken = 0
        const happen = (step: Step) => {
          if (step.kind === 'wait') elapsed += step.seconds
          now = start + elapsed + skews[++taken % skews.length]!
          if (step.kind === 'work') work(step.isLost)
          else if (step.kind !== 'wait' && step.position < round.leases.length) {
            if (step.kind === 'accept') round = accepted(round, step.position)
            if (step.kind === 'decline') round = declined(round, step.position, true, now)
            const choice = step.kind === 'vote' ? 0 : 1
            const isVote = step.kind === 'vote' || step.kind === 'other'
            if (isVote && (isVoteAwaited(round, step.position, now) || round.closedAt !== null))
              round = voteOf(round, step.position, choice, now)
          }
          round = passTime(round, now)
        }
        let reached = 0
        const check = () => {
          const at = order.indexOf(publicState(round))
          expect(at).toBeGreaterThanOrEqual(reached)
          reached = at
          const agreedAt = agreedAtOf(round)
          if (agreedAt !== null) {
            expect(agreedAt).toBeGreaterThanOrEqual(start)
            expect(agreedAt).toBeLessThanOrEqual(deadlineOf(round))
          }
          expectInOrder(start, round.agreedAt, round.closedAt, deadlineOf(round))
          expectInOrder(agreedAt, round.outcome?.at)
          for (const { receivedAt } of round.votes) expectInOrder(start, receivedAt, deadlineOf(round))
          for (const lease of round.leases) {
            expectInOrder(start, lease.createdAt, lease.acceptBy, lease.voteBy)
            expectInOrder(lease.createdAt, lease.completedAt)
          }
          expect(new Set(round.leases.map(({ position }) => position)).size).toBe(round.leases.length)
          for (const { voteBy } of round.leases) expect(voteBy).toBeLessThanOrEqual(deadlineOf(round))
          for (const { node_key } of drawn.seats) {
            const own = round.votes.filter(({ vote }) => vote.public_key === node_key)
            expect(own.length).toBeLessThanOrEqual(2)
          }
        }
        for (const step of given) {
          happen(step)
          check()
        }
        const outcome = round.outcome
        for (let i = 0; i < 40 && !round.isReleased; i++) {
          happen({ kind: 'wait', seconds: 10 })
          happen({ kind: 'work', isLost: false })
          check()
        }
        expect(round).toMatchObject({ outcome: { state: 'finalized' }, isRecorded: true, isReleased: true })
        if (outcome !== null) expect(round.outcome).toEqual(outcome)
      }),
      { numRuns: 60 },
    )
  })
})
