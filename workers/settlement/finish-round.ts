import type { FinalityRecord } from '../../protocol/consensus/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { sumUnits, unitsOfGas } from '../../protocol/settlement/index.ts'
import type { Services } from '../services.ts'
import { type EndedMember, roundEffects } from '../stores/round-effects.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { LeaseRow, PublishedRound } from '../stores/rounds.ts'
import { outcomeOf } from './round-outcomes.ts'

/** A round that is over: `finalized` or `failed`. */
export interface FinishedRound extends PublishedRound {
  /** Everything that was said in it; null for a direct round. */
  file: RoundFile | null
  /** When it ended, in network time. */
  endedAt: number
}

/**
 * Publishes a round that is over, with everything that follows from it, in one batch: what became of each lease and proof,
 * counters and reputations of members, what payout addresses have to expect, and figures. Again it changes nothing.
 *
 * @returns `over` where the round had ended before.
 */
export async function finishRound(
  { rounds }: Pick<Services, 'rounds'>,
  { taskId, round, leases, file, endedAt }: FinishedRound,
): Promise<'written' | 'over'> {
  const record = file?.finality ?? null
  const ended = leases.map((lease) => endLease(lease, record, file, endedAt))
  const members = ended.flatMap(({ member }) => (member === null ? [] : [member]))
  const following = roundEffects({
    round,
    endedAt,
    members,
    credits: record === null ? [] : sumUnits([record], defaultNetworkParams.gas_per_unit),
    provesOffences: members.some(({ disagreements, missedLeases }) => disagreements > 0 || missedLeases > 0),
  })
  return rounds.publish({ taskId, round, leases: ended.map(({ lease }) => lease) }, following)
}

interface EndedLease {
  lease: LeaseRow
  /** Null for somebody that is neither credited nor blamed. */
  member: EndedMember | null
}

function endLease(
  lease: LeaseRow,
  record: FinalityRecord | null,
  file: RoundFile | null,
  endedAt: number,
): EndedLease {
  if (record === null || file === null || lease.state === 'cancelled') return cancel(lease, endedAt)
  const { nodeKey, role, rejectionReason, subscriptionId, owner } = lease
  const refused = rejectionReason === 'invalid_vote' || rejectionReason === 'late' ? rejectionReason : null
  const votes = [...file.votes, ...file.evidence]
  const outcome = outcomeOf({ nodeKey, role, refused }, record, votes)
  const { status, reason, receiptHash, disagreements, missedLeases } = outcome
  const isJudged = status === 'verified' || reason === 'disagreed'
  return {
    lease: {
      ...lease,
      state: isJudged ? 'finalized' : 'missed',
      completedAt: lease.completedAt ?? endedAt,
      proofStatus: status,
      rejectionReason: reason,
      receiptHash,
      units: status === 'verified' ? unitsOfGas(record.gas_used, defaultNetworkParams.gas_per_unit) : 0,
    },
    member: { subscriptionId, owner, role, status, reason, disagreements, missedLeases },
  }
}

/** Nobody is credited or blamed for a round without a result, so it leaves no proofs. */
const cancel = (lease: LeaseRow, endedAt: number): EndedLease => ({
  lease: {
    ...lease,
    state: lease.state === 'missed' ? 'missed' : 'cancelled',
    completedAt: lease.completedAt ?? endedAt,
    proofStatus: null,
    rejectionReason: null,
  },
  member: null,
})
