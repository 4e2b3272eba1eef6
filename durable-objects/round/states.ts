/** Why a task has no committee: too few members can be drawn, or its project cannot pay any. */
const fallbackReasons = ['too_few_members', 'underfunded'] as const
export type FallbackReason = (typeof fallbackReasons)[number]

/** Why a round ended without a result: no quorum of the validators gave one, or its committee set could not be read to draw from. */
const roundFailures = ['no_quorum', 'set_unreadable'] as const
export type RoundFailure = (typeof roundFailures)[number]

export const leaseStates = ['offered', 'leased', 'voted', 'finalized', 'missed', 'cancelled'] as const
export type LeaseState = (typeof leaseStates)[number]

/**
 * Why a member did not vote in time. It missed its lease where it was not connected, though it was when the set was built (`offline`); was not there
 * then either, or may not work or offers no slots (`absent`); declined; did not answer its offer (`not_accepted`); or was late. With `full` it worked
 * with all its slots, with `not_told` it was not told of its offer, with `hub_away` the hub was not there for its answer, with `unserved` the hub
 * could not serve what it declined for or offered a slot that the node could not know was free, with `cut_short` its round began too late to leave it
 * its time, and with `too_large` no frame could carry the result: none of these missed anything. Soon after a change of network parameters a member
 * that was away has `hub_away`, and one that declined `unserved`. A member that was banned and has not come back has `hub_away` too.
 */
export const missReasons = [
  'offline',
  'absent',
  'full',
  'not_told',
  'hub_away',
  'unserved',
  'cut_short',
  'too_large',
  'declined',
  'not_accepted',
  'late',
] as const
export type MissReason = (typeof missReasons)[number]

const faults: readonly (MissReason | null)[] = ['offline', 'declined', 'late']

/** Whether a missed lease is the fault of its member, which is slashed for it. A member that never answered its offer may not have heard of it. */
export const isAtFault = ({
  state,
  missedBecause,
}: {
  state: LeaseState
  missedBecause: MissReason | null
}): boolean => state === 'missed' && faults.includes(missedBecause)

export const proofStatuses = ['pending', 'verified', 'rejected', 'missed'] as const
export type ProofStatus = (typeof proofStatuses)[number]

export const rejectionReasons = ['disagreed', 'invalid_vote', 'late', 'missed'] as const
export type RejectionReason = (typeof rejectionReasons)[number]
