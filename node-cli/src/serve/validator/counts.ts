import { quorum } from '../../../../protocol/committees/index.ts'
import type { FinalityRecord, FinalityVote } from '../../../../protocol/rounds/index.ts'
import type { CheckedVote } from '../store/round-votes.ts'

/** How many keys voted for each subject, and which subject decided. */
export interface Count {
  readonly counts: Readonly<Record<string, number>>
  readonly quorum: number
  /** The subject that a quorum voted for; null until a quorum agrees. */
  readonly decided: string | null
  /** Keys that voted for several subjects, ascending. */
  readonly equivocators: readonly string[]
}

/**
 * Counts the votes of validators for finality, each record by the validators of its epoch. A validator that signed two
 * records counts for both (section 19), which only a quorum of faulty validators could abuse.
 *
 * @param validatorsOf Keys of the validators of a record's epoch; none where they are not known.
 */
export function countFinality(
  votes: readonly CheckedVote<FinalityVote>[],
  validatorsOf: (record: FinalityRecord) => readonly string[],
): Count {
  const records = new Map(votes.map(({ subject, vote }) => [subject, validatorsOf(vote.finality)]))
  const counted = votes.filter(({ subject, vote }) => records.get(subject)!.includes(vote.public_key))
  const counts = countSubjects(counted)
  // A record that names another epoch may have another quorum: the quorum of the record with the most votes is reported.
  const [first = null] = [...counts].sort(([, a], [, b]) => b - a).map(([subject]) => subject)
  const neededFor = (subject: string) => quorum(records.get(subject)!.length)
  const [decided = null] = [...counts]
    .filter(([subject, count]) => count >= neededFor(subject))
    .map(([one]) => one)
  return {
    counts: Object.fromEntries(counts),
    quorum: quorum(records.get(first ?? votes[0]?.subject ?? '')?.length ?? 0),
    decided,
    equivocators: equivocatorsOf(counted),
  }
}

/** Counts the votes of validators in a direct round. A validator that voted for two subjects does not count, as in a tally. */
export function countDirect(votes: readonly CheckedVote[], validators: readonly string[]): Count {
  const known = votes.filter(({ vote }) => validators.includes(vote.public_key))
  const equivocators = equivocatorsOf(known)
  const counts = countSubjects(known.filter(({ vote }) => !equivocators.includes(vote.public_key)))
  const needed = quorum(new Set(validators).size)
  const [decided = null] = [...counts].filter(([, count]) => count >= needed).map(([subject]) => subject)
  return { counts: Object.fromEntries(counts), quorum: needed, decided, equivocators }
}

/** How many keys voted for each subject. A vote is kept once. */
function countSubjects(votes: readonly CheckedVote[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { subject } of votes) counts.set(subject, (counts.get(subject) ?? 0) + 1)
  return counts
}

function equivocatorsOf(votes: readonly CheckedVote[]): string[] {
  const ofKey = Map.groupBy(votes, ({ vote }) => vote.public_key)
  return [...ofKey].flatMap(([key, own]) => (own.length > 1 ? [key] : [])).sort()
}
