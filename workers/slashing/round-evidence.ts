import { isAtFault } from '../../durable-objects/round/states.ts'
import {
  type FinalityRecord,
  type FinalityVote,
  hashFinality,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { LeaseRow } from '../stores/schema/index.ts'

type Proof = Pick<Evidence, 'kind' | 'proof'>

/**
 * The offences that a final round proves: votes of a member for several receipts, or for another one than validators computed themselves, and
 * primaries that were asked, could answer, and gave no valid vote. Each member's gravest offence; a round always gives the same evidence.
 * @param validators - Keys of those that made it final; votes of others count for nothing.
 */
export function evidenceOf(
  file: RoundFile,
  leases: readonly Pick<LeaseRow, 'nodeKey' | 'role' | 'state' | 'subscriptionId' | 'missedBecause'>[],
  validators: readonly string[],
): Evidence[] {
  const { task, finality: record } = file
  if (record === null) return []
  const finality = finalityList(record, file.finality_votes, validators)
  const votes = [...file.votes, ...file.evidence]
  return leases.flatMap((lease) => {
    const proven = lease.state === 'cancelled' ? null : offenceOf(lease)
    if (proven === null) return []
    const { project_id, epoch, consensus_hash } = task
    const about = { project_id, epoch, round_id: file.round_id, consensus_hash }
    return [
      { v: 1, ...about, subscription_id: lease.subscriptionId, node_key: lease.nodeKey, ...proven } as const,
    ]
  })

  function offenceOf(lease: Pick<LeaseRow, 'nodeKey' | 'role' | 'state' | 'missedBecause'>): Proof | null {
    const { nodeKey, role } = lease
    const [first, second] = distinctVotes(votes, nodeKey)
    if (first !== undefined && second !== undefined) return { kind: 'equivocation', proof: { first, second } }
    if (first !== undefined)
      return record?.audited && first.receipt_hash !== record.receipt_hash
        ? { kind: 'invalid_result', proof: { vote: first, finality } }
        : null
    return role === 'primary' && isAtFault(lease) ? { kind: 'missed_sla', proof: { task, finality } } : null
  }
}

/** One vote of a member for each receipt, in the order of receipts. */
function distinctVotes(votes: readonly TaskVote[], nodeKey: string): TaskVote[] {
  const own = votes.filter(({ public_key }) => public_key === nodeKey)
  const byReceipt = new Map(own.map((vote) => [vote.receipt_hash, vote]))
  return [...byReceipt.values()].sort((a, b) => (a.receipt_hash < b.receipt_hash ? -1 : 1))
}

/** The votes for the record, one of each validator, ascending by key. */
function finalityList(
  record: FinalityRecord,
  votes: readonly FinalityVote[],
  validators: readonly string[],
): FinalityVote[] {
  const hash = hashFinality(record)
  const counted = votes.filter(
    ({ public_key, finality }) => validators.includes(public_key) && hashFinality(finality) === hash,
  )
  const byValidator = new Map(counted.map((vote) => [vote.public_key, vote]))
  return [...byValidator.values()].sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
}
