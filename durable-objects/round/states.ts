/** Why a task has no committee: too few members can be drawn, or its project cannot pay any. */
export const fallbackReasons = ['too_few_members', 'underfunded'] as const
export type FallbackReason = (typeof fallbackReasons)[number]

/** Why a round ended without a result: no quorum of the validators signed one, or in a direct round gave one. */
export const roundFailures = ['no_quorum'] as const
export type RoundFailure = (typeof roundFailures)[number]

/** Where a lease stands. */
export const leaseStates = ['offered', 'leased', 'voted', 'finalized', 'missed', 'cancelled'] as const
export type LeaseState = (typeof leaseStates)[number]

/**
 * Why a member did not vote in time: it was not connected, declined, did not accept, or was late. With `full` it worked with
 * all its slots, with `not_told` it was not told of its offer, with `hub_away` the hub was not there for its answer, and with
 * `too_large` no frame could carry the result: none of them missed anything.
 */
export const missReasons = [
  'offline',
  'full',
  'not_told',
  'hub_away',
  'too_large',
  'declined',
  'not_accepted',
  'late',
] as const
export type MissReason = (typeof missReasons)[number]

const excuses: readonly (MissReason | null)[] = ['full', 'not_told', 'hub_away', 'too_large']

/** Whether a member with this reason owed a vote that it could have given. */
export const owedVote = (reason: MissReason | null): boolean => !excuses.includes(reason)

/** What came of a member's vote, or of the lack of one. */
export const proofStatuses = ['pending', 'verified', 'rejected', 'missed'] as const
export type ProofStatus = (typeof proofStatuses)[number]

/** Why a vote was not credited. */
export const rejectionReasons = ['disagreed', 'invalid_vote', 'late', 'missed'] as const
export type RejectionReason = (typeof rejectionReasons)[number]
