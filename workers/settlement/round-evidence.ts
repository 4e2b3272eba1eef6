import {
  type FinalityRecord,
  type FinalityVote,
  hashFinality,
  type Seat,
  type Task,
  type TaskVote,
} from '../../protocol/consensus/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import type { Evidence, Offence } from '../../protocol/settlement/index.ts'

/** What a round that is final proves about its members. */
export interface ProvenRound {
  task: Task
  record: FinalityRecord
  finalityVotes: readonly FinalityVote[]
  /** Those that were asked to run the task; none of a fallback. */
  asked: readonly Pick<Seat, 'node_key' | 'role' | 'entry'>[]
  /** Every valid vote there was. */
  votes: readonly TaskVote[]
}

/**
 * The offences of a round, each once: members that voted for several receipts, members whose receipt is not the one that
 * validators came to themselves, and primaries without a valid vote. The same round gives the same evidence, word for word.
 */
export function evidenceOf({ task, record, finalityVotes, asked, votes }: ProvenRound): Evidence[] {
  const finality = finalityList(record, finalityVotes)
  const credited = new Set(record.voters.map(({ public_key }) => public_key))
  return asked.flatMap((seat) => {
    const [first, second] = distinctVotes(votes, seat.node_key)
    const found = offenceOf(first, second)
    return found === null ? [] : [evidence(seat, found.kind, found.proof)]

    function offenceOf(
      vote: TaskVote | undefined,
      other: TaskVote | undefined,
    ): { kind: Offence; proof: Evidence['proof'] } | null {
      if (vote !== undefined && other !== undefined)
        return { kind: 'equivocation', proof: { first: vote, second: other } }
      if (vote !== undefined)
        return record.audited && vote.receipt_hash !== record.receipt_hash
          ? { kind: 'invalid_result', proof: { vote, finality } }
          : null
      if (seat.role !== 'primary' || credited.has(seat.node_key)) return null
      return { kind: 'missed_sla', proof: { task, finality } }
    }
  })

  function evidence({ node_key, entry }: (typeof asked)[number], kind: Offence, proof: Evidence['proof']) {
    const { project_id, epoch, consensus_hash } = task
    const { subscription_id } = entry
    const round_id = deriveTaskRoundId(task)
    return { v: 1, kind, project_id, epoch, round_id, subscription_id, node_key, consensus_hash, proof } as const
  }
}

/** One vote of a member for each receipt, in the order of receipts. */
function distinctVotes(votes: readonly TaskVote[], nodeKey: string): TaskVote[] {
  const own = votes.filter(({ public_key }) => public_key === nodeKey)
  const byReceipt = new Map(own.map((vote) => [vote.receipt_hash, vote]))
  return [...byReceipt.values()].sort((a, b) => (a.receipt_hash < b.receipt_hash ? -1 : 1))
}

/** The votes for the record, one of each validator, ascending by key. */
function finalityList(record: FinalityRecord, votes: readonly FinalityVote[]): FinalityVote[] {
  const hash = hashFinality(record)
  const agreeing = votes.filter(({ finality }) => hashFinality(finality) === hash)
  const byValidator = new Map(agreeing.map((vote) => [vote.public_key, vote]))
  return [...byValidator.values()].sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
}
