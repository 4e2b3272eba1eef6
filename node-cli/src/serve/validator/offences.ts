import { deriveTaskRoundId } from '../../../../protocol/identity/index.ts'
import type { FinalityRecord, FinalityVote, Task, TaskVote } from '../../../../protocol/rounds/index.ts'
import type { Evidence, Offence } from '../../../../protocol/slashing/index.ts'
import type { RoundMember } from '../store/rounds.ts'

/** The record that a quorum of the validators signed, with their votes in the order of keys. */
export interface FinalRound {
  readonly record: FinalityRecord
  readonly votes: readonly FinalityVote[]
}

export interface RoundFacts {
  readonly task: Task
  /** The members that were drawn; empty in a fallback, in which nobody misses a vote. */
  readonly members: readonly RoundMember[]
  /** Every valid vote that this node knows, at most two of one member that differ. */
  readonly votes: readonly TaskVote[]
  readonly final: FinalRound | null
}

/**
 * The evidence that a round gives (section 24). A member that voted twice is blamed for that alone. The others are held to the record
 * once it is final: a vote against an audited result, and no vote of a primary.
 */
export function findOffences({ task, members, votes, final }: RoundFacts): Evidence[] {
  const ofKey = Map.groupBy(votes, (vote) => vote.public_key)
  return members.flatMap((member) => {
    const [first, second] = ofKey.get(member.node_key) ?? []
    if (first !== undefined && second !== undefined)
      return [evidenceOf('equivocation', task, member, { first, second })]
    return final === null ? [] : offencesAgainst(final, task, member, first)
  })
}

function offencesAgainst(
  { record, votes }: FinalRound,
  task: Task,
  member: RoundMember,
  vote: TaskVote | undefined,
): Evidence[] {
  const isVoter = record.voters.some(({ public_key }) => public_key === member.node_key)
  if (vote !== undefined && record.audited && vote.receipt_hash !== record.receipt_hash)
    return [evidenceOf('invalid_result', task, member, { vote, finality: votes })]
  if (vote === undefined && member.role === 'primary' && !isVoter)
    return [evidenceOf('missed_sla', task, member, { task, finality: votes })]
  return []
}

const evidenceOf = (
  kind: Offence,
  task: Task,
  { node_key, subscription_id }: RoundMember,
  proof: Evidence['proof'],
): Evidence => ({
  v: 1,
  kind,
  project_id: task.project_id,
  epoch: task.epoch,
  round_id: deriveTaskRoundId(task),
  subscription_id,
  node_key,
  consensus_hash: task.consensus_hash,
  proof,
})
