import type { EndedRound } from '../../durable-objects/round/types.ts'
import { sumUnits } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import type { EndedMember, RoundEnd } from '../stores/round-effects.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { WrittenRound } from '../stores/rounds.ts'
import type { LeaseRow, RoundRow } from '../stores/schema/index.ts'

/**
 * The effects of the end of a round: how each member did, and which payout addresses are credited. Nobody is credited or blamed for a
 * round without a result, or one that is final too late.
 */
export function roundEnd(file: RoundFile): RoundEnd {
  const { finality: record, published, is_unpaid: isUnpaid, ended_at: endedAt } = file
  const { gas_per_unit = defaultNetworkParams.gas_per_unit } = file
  const { round, leases } = published
  if (record === null || isUnpaid) return { ...nobodys(round, endedAt), isUnpaid }
  const members = leases.flatMap((lease) => memberOf(lease, file, record.receipt_hash))
  return {
    ...{ round, endedAt, isUnpaid, members },
    credits: sumUnits([record], gas_per_unit),
    provesOffences: members.some(({ disagreements, missedLeases }) => disagreements + missedLeases > 0),
  }
}

/** The rows that lists show of a round that has its record, with the effects of its end. */
export const writtenRound = (file: RoundFile): WrittenRound => ({ ...file.published, end: roundEnd(file) })

/** A round as its project is told of its end. */
export const endedRound = (file: RoundFile): EndedRound => ({
  ...{ roundId: file.round_id, epoch: file.task.epoch, row: writtenRound(file) },
  finalityVotes: file.finality_votes,
})

/** The end of a round that credits and blames nobody, as a direct one. */
export const nobodys = (round: RoundRow, endedAt: number): RoundEnd => ({
  ...{ round, endedAt, isUnpaid: false, members: [], credits: [], provesOffences: false },
})

/** How a member did; empty for one that was asked in vain and owed nothing. */
function memberOf(lease: LeaseRow, { votes, evidence }: RoundFile, finalHash: string): EndedMember[] {
  const { nodeKey, role, subscriptionId, owner, proofStatus: status, rejectionReason: reason } = lease
  const { createdAt, submittedAt } = lease
  if (status === null || status === 'pending') return []
  // A second vote, which came when validators had been asked, disagrees all the same.
  const wrong = [...votes, ...evidence].filter(
    ({ public_key, receipt_hash }) => public_key === nodeKey && receipt_hash !== finalHash,
  )
  const hasVoted = status === 'verified' || reason === 'disagreed'
  return [
    {
      ...{ subscriptionId, owner, role, status, reason },
      disagreements: new Set(wrong.map(({ receipt_hash }) => receipt_hash)).size,
      missedLeases: role === 'primary' && !hasVoted ? 1 : 0,
      leaseSecs: hasVoted && submittedAt !== null ? Math.max(0, submittedAt - createdAt) : 0,
      ...{ hasVoted, units: lease.units ?? 0 },
    },
  ]
}
