import type { RejectionReason } from '../../durable-objects/round/states.ts'
import type { FinalityRecord, Seat, TaskVote } from '../../protocol/consensus/index.ts'

/** A member that was asked to run a task. */
export interface AskedMember {
  nodeKey: string
  role: Seat['role']
  /** Why a vote of its was refused; null where none was. */
  refused: Extract<RejectionReason, 'invalid_vote' | 'late'> | null
}

/** How a member did in a round that is final. */
export interface MemberOutcome {
  status: 'verified' | 'rejected' | 'missed'
  reason: RejectionReason | null
  /** What it voted; of several receipts one that is not the final one. Null without a vote. */
  receiptHash: string | null
  /** Votes for another result than the final one. */
  disagreements: number
  /** 1 for a primary without a valid vote in time, else 0: a backup that does not vote breaks no promise. */
  missedLeases: 0 | 1
}

/**
 * How a member did, by the record that validators made of the round (section 11). Whoever the record names is credited; a
 * second vote of it, which came when validators had been asked, disagrees all the same.
 *
 * @param votes - All valid votes of the round.
 */
export function outcomeOf(
  { nodeKey, role, refused }: AskedMember,
  { receipt_hash: finalHash, voters }: Pick<FinalityRecord, 'receipt_hash' | 'voters'>,
  votes: readonly Pick<TaskVote, 'public_key' | 'receipt_hash'>[],
): MemberOutcome {
  const own = new Set(votes.flatMap((vote) => (vote.public_key === nodeKey ? [vote.receipt_hash] : [])))
  const [wrong, ...moreWrong] = [...own].filter((hash) => hash !== finalHash).sort()
  const disagreements = wrong === undefined ? 0 : 1 + moreWrong.length
  if (voters.some(({ public_key }) => public_key === nodeKey))
    return { status: 'verified', reason: null, receiptHash: finalHash, disagreements, missedLeases: 0 }
  if (wrong !== undefined)
    return { status: 'rejected', reason: 'disagreed', receiptHash: wrong, disagreements, missedLeases: 0 }
  // Right, and not among those that validators were sent.
  if (own.size > 0)
    return { status: 'rejected', reason: 'late', receiptHash: finalHash, disagreements, missedLeases: 0 }
  return {
    status: refused === null ? 'missed' : 'rejected',
    reason: refused ?? 'missed',
    receiptHash: null,
    disagreements,
    missedLeases: role === 'primary' ? 1 : 0,
  }
}
