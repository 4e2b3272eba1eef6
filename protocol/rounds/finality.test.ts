import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { quorum } from '../committees/index.ts'
import { validators } from '../testing/agreement/network.ts'
import { rounds } from '../testing/agreement/rounds.ts'
import { ballots, finalityVote, records } from '../testing/agreement/votes.ts'
import { withShuffled } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
import { createFinalityRecord, type FinalityRecord, finalRecord, hashFinality } from './finality.ts'
import { tallyVotes } from './tally.ts'

const round = rounds[0]!
const { profile } = round
const numRuns = 20

property(
  'votes in any order give one finality hash, so that honest validators sign the same',
  [withShuffled(ballots(round)), fc.constantFrom('right', 'wrong')],
  ([votes, again], result) => {
    const receipt_hash = votes.find((vote) => vote?.receipt?.success)?.receipt_hash ?? `0x${'00'.repeat(32)}`
    const own = { receipt_hash, gas_used: result.length }
    const hashOf = (some: readonly unknown[]) =>
      hashFinality(createFinalityRecord(round.task, tallyVotes(profile, round.seated, round.task, some), own))
    expect(hashOf(again)).toBe(hashOf(votes))
  },
  { numRuns },
)

describe('finalRecord', () => {
  const cases = fc.integer({ min: 1, max: validators.length }).chain((among) =>
    fc.record({
      among: fc.constant(among),
      record: records(round, 0),
      another: records(round, 1),
      signers: fc.shuffledSubarray(Array.from({ length: among }, (_, i) => i)),
      strangers: fc.subarray(validators.map((_, i) => i).slice(among)),
    }),
  )
  const current = (among: number) => validators.slice(0, among).map(({ key }) => key)
  const votesOf = (signers: readonly number[], record: FinalityRecord) =>
    signers.map((one) => finalityVote(profile, one, record))

  property(
    'a record is final exactly when a quorum of the current validators signed it, in any order',
    [cases],
    ({ among, record, signers, strangers }) => {
      const ordered = record.voters.every(
        (voter: { public_key: string }, i: number) =>
          i === 0 || record.voters[i - 1].public_key < voter.public_key,
      )
      const votes = [...votesOf(strangers, record), ...votesOf(signers, record), ...votesOf(signers, record)]
      expect(finalRecord(profile, votes, current(among))).toEqual(
        ordered && signers.length >= quorum(among) ? record : null,
      )
    },
    { numRuns },
  )

  property(
    'if each validator signs once, no two records are final',
    [cases],
    ({ among, record, another, signers }) => {
      const others = Array.from({ length: among }, (_, i) => i).filter((one) => !signers.includes(one))
      const final = [
        finalRecord(profile, votesOf(signers, record), current(among)),
        finalRecord(profile, votesOf(others, another), current(among)),
      ]
      expect(final.filter((one) => one !== null).length).toBeLessThanOrEqual(1)
    },
    { numRuns },
  )
})
