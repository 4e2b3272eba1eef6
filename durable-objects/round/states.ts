/** Why a task has no committee: too few members can be drawn, or its project cannot pay any. */
export const fallbackReasons = ['too_few_members', 'underfunded'] as const
export type FallbackReason = (typeof fallbackReasons)[number]

/** Why a round ended without a result: no quorum of the validators signed one, or in a direct round gave one. */
export const roundFailures = ['no_quorum'] as const
export type RoundFailure = (typeof roundFailures)[number]

/** Where a lease stands. */
export const leaseStates = ['offered', 'leased', 'voted', 'finalized', 'missed', 'cancelled'] as const
export type LeaseState = (typeof leaseStates)[number]

/** Why a member did not vote in time: it was not connected, had no free slot and was not asked, declined, did not accept, or was late. */
export const missReasons = ['offline', 'full', 'declined', 'not_accepted', 'late'] as const
export type MissReason = (typeof missReasons)[number]

/** What came of a member's vote, or of the lack of one. */
export const proofStatuses = ['pending', 'verified', 'rejected', 'missed'] as const
export type ProofStatus = (typeof proofStatuses)[number]

/** Why a vote was not credited. */
export const rejectionReasons = ['disagreed', 'invalid_vote', 'late', 'missed'] as const
export type RejectionReason = (typeof rejectionReasons)[number]
