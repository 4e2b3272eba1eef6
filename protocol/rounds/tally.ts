import type { CommitteeSize } from '../committees/index.ts'
import { deriveTaskRoundId, type Profile } from '../identity/index.ts'
import type { Ed25519Verifier } from '../signatures/index.ts'
import type { SeatedCommittee } from './committee.ts'
import { validOrNull } from './round-vote.ts'
import type { Task } from './task.ts'
import { hasSeat, isTaskVote, parseTaskVote, type TaskVote } from './task-vote.ts'

/** The result of counting the votes of a round. */
export interface Tally {
  /** Nobody equivocated, all counted votes agree, and they are a quorum. */
  readonly clean: boolean
  readonly contested: boolean
  /** The agreed receipt hash of a clean round, else null. */
  readonly hash: string | null
  /** Keys of members whose vote counts once, ascending. */
  readonly counted: readonly string[]
  /** Keys of members that voted for several receipt hashes, ascending. Their votes do not count. */
  readonly equivocators: readonly string[]
  /** Positions in the list of invalid votes and votes of another round. */
  readonly rejected: readonly number[]
  /** Counted votes per receipt hash. */
  readonly tally: Readonly<Record<string, number>>
}

/** A tally with the votes behind it. */
export interface TallyWithVotes extends Tally {
  /** One valid vote per counted member, in the order of `counted`. */
  readonly votes: readonly TaskVote[]
}

/**
 * Tallies the votes of a task (section 18). Backups count like primaries. Invalid votes are dropped and do not by themselves
 * make a round contested; one dissenting vote, one equivocator or too few votes do.
 *
 * @param seated The committee of the task, from {@link seatCommittee}.
 * @param votes As received, in any order; anything that is not a vote is rejected.
 * @param verify Another verifier of the same outcome.
 */
export function tallyVotes(
  profile: Profile,
  seated: SeatedCommittee,
  task: Task,
  votes: readonly unknown[],
  verify?: Ed25519Verifier,
): TallyWithVotes {
  const roundId = deriveTaskRoundId(task)
  const rejected: number[] = []
  const valid: TaskVote[] = []
  votes.forEach((value, position) => {
    const vote = readVote(profile, seated, roundId, value, verify)
    if (vote === null) rejected.push(position)
    else valid.push(vote)
  })
  return { ...countVotes(seated.committee, valid), rejected }
}

/**
 * Counts votes that were found valid when they came: of this round, of members of its committee, with signatures that
 * verify. A caller that counts after each vote checks each vote once.
 */
export function countVotes(
  { q }: Pick<CommitteeSize, 'q'>,
  votes: readonly TaskVote[],
): Omit<TallyWithVotes, 'rejected'> {
  const byMember = new Map<string, Map<string, TaskVote>>()
  for (const vote of votes)
    byMember.set(vote.public_key, (byMember.get(vote.public_key) ?? new Map()).set(vote.receipt_hash, vote))

  const members = [...byMember].sort(([a], [b]) => (a < b ? -1 : 1))
  const counted = members.flatMap(([, own]) => (own.size === 1 ? [...own.values()] : []))
  const equivocators = members.filter(([, own]) => own.size > 1).map(([key]) => key)
  const tally = new Map<string, number>()
  for (const { receipt_hash: hash } of counted) tally.set(hash, (tally.get(hash) ?? 0) + 1)
  const [agreed] = tally.keys()
  const clean = equivocators.length === 0 && tally.size === 1 && counted.length >= q
  return {
    clean,
    contested: !clean,
    hash: clean ? agreed! : null,
    counted: counted.map((vote) => vote.public_key),
    equivocators,
    tally: Object.fromEntries(tally),
    votes: counted,
  }
}

/** A valid vote of this round, or null. Signatures cost most, so the votes of other nodes are dropped before they are checked. */
function readVote(
  profile: Profile,
  seated: SeatedCommittee,
  roundId: string,
  value: unknown,
  verify: Ed25519Verifier | undefined,
): TaskVote | null {
  if (!isTaskVote(value) || value.round_id !== roundId || !hasSeat(seated, value)) return null
  return validOrNull(() => parseTaskVote(profile, value, verify))
}
