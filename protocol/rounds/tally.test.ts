import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../identity/index.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { askedSeats, seatCommittee } from './committee.ts'
import { tallyVotes } from './tally.ts'
import type { TaskVote } from './task-vote.ts'

describeVectors('task-round', 'task-vote', 'committee-tally', 'finality')

const profile = resolveProfile()
const { common, cases } = JSON.parse(
  readFileSync(new URL('../vectors/committee-tally.json', import.meta.url), 'utf8'),
)
const seated = seatCommittee(profile, common.snapshot, common.task.seq, {
  committee: common.committee,
  params: defaultNetworkParams,
})
const someVotes = (name: string): TaskVote[] =>
  cases.find((one: { name: string }) => one.name === name).input.votes
const votes = [
  ...someVotes('everybody_agrees'),
  ...someVotes('two_equivocators'),
  ...someVotes('one_backup_dissents'),
]

describe('tallyVotes', () => {
  const shuffled = fc.subarray(votes).chain((some) => {
    const repeated = [...some, ...some.slice(0, 3)]
    return fc.tuple(fc.constant(some), fc.shuffledSubarray(repeated, { minLength: repeated.length }))
  })
  property(
    'the order of votes and repeated votes change nothing',
    [shuffled],
    ([some, again]) => {
      const { rejected, ...tally } = tallyVotes(profile, seated, common.task, some)
      expect(tallyVotes(profile, seated, common.task, again)).toEqual({ ...tally, rejected: [] })
      expect(rejected).toEqual([])
    },
    { numRuns: 6 },
  )

  property(
    'a round is clean only when a quorum agrees and nobody says otherwise',
    [fc.shuffledSubarray(votes)],
    (some) => {
      const tally = tallyVotes(profile, seated, common.task, some)
      const members = new Set(some.map((vote) => vote.public_key))
      const results = new Set(some.map((vote) => vote.receipt_hash))
      expect(tally.clean).toBe(results.size === 1 && members.size >= seated.committee.q)
      expect(tally.contested).toBe(!tally.clean)
    },
    { numRuns: 4 },
  )

  test('a value that is not a vote is rejected without an exception', () => {
    const odd = [undefined, 7, [], { kind: 'task' }, { ...votes[0], task: null }, { ...votes[0], receipt: 1 }]
    expect(tallyVotes(profile, seated, common.task, odd).rejected).toEqual([0, 1, 2, 3, 4, 5])
  })
})

test('askedSeats: the next backup replaces each failed primary, but not a failed backup', () => {
  const keys = seated.seats.map((seat) => seat.node_key)
  const asked = (...failed: string[]) => askedSeats(seated, new Set(failed)).map((seat) => seat.node_key)
  expect(asked()).toEqual(keys.slice(0, 5))
  expect(asked(keys[3]!)).toEqual(keys.slice(0, 6))
  expect(asked(keys[3]!, keys[5]!)).toEqual(keys.slice(0, 6))
  expect(asked(...keys)).toEqual(keys)
})
