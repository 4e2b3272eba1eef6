import {
  agreedAtOf,
  claimedError,
  fallbackOf,
  type Lease,
  type Outcome,
  paramsOfRound,
  publicState,
  type Round,
  resultHashOf,
  tallyOf,
} from '../../durable-objects/round/round.ts'
import { unitsOfGas } from '../../protocol/earnings/index.ts'
import { deriveProofId, type Profile } from '../../protocol/identity/index.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import type { LeaseRow, RoundRow } from '../stores/schema/index.ts'

/** @param isUnpaid - Whether it became final too late to be paid. */
export function publishedRound(profile: Profile, round: Round, isUnpaid = false): PublishedRound {
  return { round: roundRow(round), leases: leaseRows(profile, round, isUnpaid) }
}

function roundRow(round: Round): RoundRow {
  const { terms, outcome } = round
  const { task } = terms
  const fallback = fallbackOf(round)
  const { tally } = tallyOf(round)
  const record = outcome?.state === 'finalized' ? outcome.record : null
  const receiptHash = resultHashOf(round)
  const result = receiptHash === null ? undefined : round.results[receiptHash]
  return {
    roundId: terms.roundId,
    kind: 'task',
    state: publicState(round),
    projectId: task.project_id,
    consensusHash: task.consensus_hash,
    epoch: task.epoch,
    seq: task.seq,
    setHash: task.set_hash,
    moduleAddress: task.module_address,
    function: task.function,
    inputHash: task.input_hash,
    gasLimit: task.gas_limit,
    issuedAt: task.issued_at,
    nonce: null,
    input: terms.input,
    fallback,
    committeeSize: fallback === null ? (round.drawn?.committee.k_eff ?? 0) : 0,
    votes: new Set(round.votes.map(({ vote }) => vote.public_key)).size,
    agreeing: agreeing(tally, receiptHash),
    audited: record?.audited ?? round.isAudited,
    receiptHash,
    success: result?.receipt.success ?? null,
    gasUsed: record?.gas_used ?? result?.receipt.gas_used ?? null,
    outputHash: result?.receipt.output_hash ?? null,
    eventsHash: result?.receipt.events_hash ?? null,
    output: result?.output ?? null,
    events: result?.events ?? null,
    agreedAt: agreedAtOf(round) ?? round.agreedAt,
    finalizedAt: outcome?.state === 'finalized' ? outcome.at : null,
    finalityMs: outcome?.state === 'finalized' ? outcome.ms : null,
    error: outcome?.state === 'failed' ? (outcome.error ?? 'no_quorum') : runError(round, receiptHash),
    taskId: terms.taskId,
    createdAt: terms.queuedAt ?? null,
  }
}

const runError = (round: Round, receiptHash: string | null): string | null =>
  receiptHash === null || round.results[receiptHash]?.receipt.success !== false
    ? null
    : claimedError(round, receiptHash)

/** How many votes the result has; while there is no result, how many the largest part of the committee gave alike. */
function agreeing(tally: Readonly<Record<string, number>>, receiptHash: string | null): number {
  if (receiptHash !== null) return tally[receiptHash] ?? 0
  return Object.values(tally).reduce((most, count) => Math.max(most, count), 0)
}

function leaseRows(profile: Profile, round: Round, isUnpaid: boolean): LeaseRow[] {
  return round.leases.flatMap((lease) => {
    const seat = round.drawn?.seats[lease.position]
    if (seat === undefined) return []
    const { owner, subscription_id: subscriptionId } = seat.entry
    return [
      {
        roundId: round.terms.roundId,
        position: lease.position,
        role: lease.role,
        nodeKey: lease.nodeKey,
        nodeId: seat.node_id,
        subscriptionId,
        owner,
        projectId: round.terms.task.project_id,
        epoch: round.terms.task.epoch,
        missedBecause: lease.missedBecause,
        createdAt: lease.createdAt,
        deadline: lease.voteBy,
        completedAt: lease.completedAt,
        proofId: deriveProofId(profile, round.terms.roundId, lease.nodeKey),
        ...standing(round, lease, isUnpaid),
      },
    ]
  })
}

type Standing = Pick<
  LeaseRow,
  'state' | 'proofStatus' | 'rejectionReason' | 'receiptHash' | 'submittedAt' | 'units' | 'voteProblem'
>

const unjudged = { proofStatus: null, rejectionReason: null, units: null, voteProblem: null }

/** The state and outcome of a lease. Nobody is credited or blamed for a round that failed, or became final too late. */
function standing(round: Round, lease: Lease, isUnpaid: boolean): Standing {
  const kept = round.votes.find(({ vote }) => vote.public_key === lease.nodeKey)
  const voted = { receiptHash: kept?.vote.receipt_hash ?? null, submittedAt: kept?.receivedAt ?? null }
  const { outcome } = round
  if (outcome?.state === 'failed' || isUnpaid) return { ...voted, ...unjudged, state: 'cancelled' }
  if (kept === undefined) return { ...voted, ...unvoted(lease) }
  if (outcome === null) return { ...voted, ...unjudged, state: 'voted', proofStatus: 'pending' }
  const { voters, gas_used } = outcome.record
  const isCredited = voters.some(({ public_key }) => public_key === lease.nodeKey)
  return {
    ...voted,
    state: 'finalized',
    proofStatus: isCredited ? 'verified' : 'rejected',
    rejectionReason: isCredited ? null : 'disagreed',
    units: isCredited ? unitsOfGas(gas_used, paramsOfRound(round.terms).gas_per_unit) : 0,
    voteProblem: null,
  }
}

/** A backup is asked to help and owes nothing; a primary owes a vote. */
function unvoted({
  state,
  role,
  refused,
  voteProblem = null,
}: Lease): Omit<Standing, 'receiptHash' | 'submittedAt'> {
  const shown = state === 'offering' ? 'offered' : state
  if (state !== 'missed' || (refused === null && role === 'backup')) return { ...unjudged, state: shown }
  return refused === null
    ? { state: shown, proofStatus: 'missed', rejectionReason: 'missed', units: 0, voteProblem: null }
    : { state: shown, proofStatus: 'rejected', rejectionReason: refused, units: 0, voteProblem }
}

/** The record of a round that is over. */
export function roundFile(
  profile: Profile,
  round: Round & { outcome: Outcome },
  isUnpaid = false,
): RoundFile {
  const { terms, drawn, votes, evidence, outcome, finalityVotes } = round
  return {
    v: 1,
    round_id: terms.roundId,
    task: terms.task,
    draw: (drawn?.seats ?? []).map(({ entry: _, ...member }) => member),
    votes: votes.map(({ vote }) => vote),
    evidence,
    finality: outcome.state === 'finalized' ? outcome.record : null,
    finality_votes: finalityVotes,
    published: publishedRound(profile, round, isUnpaid),
    ended_at: outcome.at,
    is_unpaid: isUnpaid,
    gas_per_unit: paramsOfRound(terms).gas_per_unit,
  }
}
