import { reputationSteps } from '../../protocol/actions/index.ts'
import type { FinalityRecord, Seat, TaskVote } from '../../protocol/consensus/index.ts'

/** Why a member is not credited for a round. */
export const rejectionReasons = ['disagreed', 'invalid_vote', 'late', 'missed'] as const
export type RejectionReason = (typeof rejectionReasons)[number]

/** States of a proof, which is the vote of one member in one round and what became of it. */
export const proofStates = ['pending', 'verified', 'rejected', 'missed'] as const
export type ProofState = (typeof proofStates)[number]

/** A member that was asked to run a task. */
export interface AskedMember {
  seat: Pick<Seat, 'node_key' | 'role'>
  /** Its valid votes that came in time, each for another receipt. */
  votes: readonly Pick<TaskVote, 'receipt_hash'>[]
  /** Why a vote of its was refused; null where none was. */
  refused: Extract<RejectionReason, 'invalid_vote' | 'late'> | null
}

/** How a member did in a round that is final. */
export interface MemberOutcome {
  nodeKey: string
  status: Exclude<ProofState, 'pending'>
  reason: RejectionReason | null
  /** What it voted: the receipt that was not the final one, where it voted for several. */
  receiptHash: string | null
  disagreements: number
  /** Of primaries alone: a backup that does not vote breaks no promise. */
  missedLeases: number
  /** What its reputation changes by; all steps of one round go the same way, so they may be added before clamping. */
  reputation: number
}

/**
 * How each member that was asked did, by the record that validators made of the round (section 11). Members of a fallback
 * were never asked.
 */
export const outcomesOf = (
  record: Pick<FinalityRecord, 'receipt_hash' | 'voters'>,
  asked: readonly AskedMember[],
): MemberOutcome[] => {
  const credited = new Set(record.voters.map(({ public_key }) => public_key))
  return asked.map((member) => outcomeOf(member, record.receipt_hash, credited))
}

function outcomeOf(
  { seat, votes, refused }: AskedMember,
  finalHash: string,
  credited: ReadonlySet<string>,
): MemberOutcome {
  const nodeKey = seat.node_key
  if (credited.has(nodeKey))
    return {
      nodeKey,
      status: 'verified',
      reason: null,
      receiptHash: finalHash,
      disagreements: 0,
      missedLeases: 0,
      reputation: reputationSteps.credited,
    }
  const wrong = votes.filter(({ receipt_hash }) => receipt_hash !== finalHash)
  if (wrong.length > 0)
    return {
      nodeKey,
      status: 'rejected',
      reason: 'disagreed',
      receiptHash: wrong[0]?.receipt_hash ?? null,
      disagreements: wrong.length,
      missedLeases: 0,
      reputation: reputationSteps.disagreed * wrong.length,
    }
  // Validators that were not sent a vote do not credit it, and it is no offence.
  if (votes.length > 0)
    return {
      nodeKey,
      status: 'rejected',
      reason: 'late',
      receiptHash: finalHash,
      disagreements: 0,
      missedLeases: 0,
      reputation: 0,
    }
  const missedLeases = seat.role === 'primary' ? 1 : 0
  return {
    nodeKey,
    status: refused === null ? 'missed' : 'rejected',
    reason: refused ?? 'missed',
    receiptHash: null,
    disagreements: 0,
    missedLeases,
    reputation: reputationSteps.missed_lease * missedLeases,
  }
}
