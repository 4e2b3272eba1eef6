import { type ExecutionVote, quorum } from '../../../../protocol/consensus/index.ts'
import { hashCanonicalJson } from '../../../../protocol/encoding/index.ts'
import { hashState } from '../../../../protocol/execution/index.ts'
import type { CheckedVote } from '../store/round-votes.ts'

/** How many keys voted for each subject, and which subject decided. */
export interface Count {
  readonly counts: Readonly<Record<string, number>>
  readonly quorum: number
  /** The subject that a quorum voted for; null while there is none. */
  readonly decided: string | null
  /** Keys that voted for several subjects, ascending. */
  readonly equivocators: readonly string[]
}

/**
 * Counts the votes of validators for finality. One that signed two records counts for both (section 19), which only a
 * quorum of faulty ones could abuse.
 */
export const countFinality = (votes: readonly CheckedVote[], validators: readonly string[]): Count =>
  countVotes(votes, validators, () => true)

/** Counts the votes of validators in a direct round. One that voted twice counts for nothing, as in a tally. */
export const countDirect = (votes: readonly CheckedVote[], validators: readonly string[]): Count =>
  countVotes(votes, validators, (isEquivocator) => !isEquivocator)

function countVotes(
  votes: readonly CheckedVote[],
  validators: readonly string[],
  counts: (isEquivocator: boolean) => boolean,
): Count {
  const known = new Set(validators)
  const ofKey = Map.groupBy(
    votes.filter(({ vote }) => known.has(vote.public_key)),
    ({ vote }) => vote.public_key,
  )
  const needed = quorum(known.size)
  const bySubject = new Map<string, number>()
  const equivocators: string[] = []
  for (const [key, own] of ofKey) {
    if (own.length > 1) equivocators.push(key)
    if (counts(own.length > 1))
      for (const { subject } of own) bySubject.set(subject, (bySubject.get(subject) ?? 0) + 1)
  }
  const [decided = null] = [...bySubject].filter(([, count]) => count >= needed).map(([subject]) => subject)
  return {
    counts: Object.fromEntries(bySubject),
    quorum: needed,
    decided,
    equivocators: equivocators.sort(),
  }
}

/** What a vote in a direct round is for: its receipt, and how storage changed where it did. */
export const executionSubject = ({ receipt_hash, state }: ExecutionVote): string =>
  state === undefined ? receipt_hash : hashCanonicalJson([receipt_hash, hashState(state)])
