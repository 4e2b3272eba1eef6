/** Listing statuses of a project, in the order of the registry's numbers. */
export const listingStatuses = [
  'draft',
  'submitted',
  'pending_review',
  'listed',
  'paused',
  'underfunded',
  'rejected',
  'delisted',
] as const
export type ListingStatus = (typeof listingStatuses)[number]

/** Statuses in which everybody sees a project. */
export const publicStatuses: readonly ListingStatus[] = ['listed', 'paused', 'underfunded', 'delisted']

/** Statuses in which a project takes tasks, and has sets. Tasks of an underfunded project pay nobody. */
export const openStatuses: readonly ListingStatus[] = ['listed', 'underfunded']

/** Decisions of operators about a project. */
export const reviewActions = ['approve', 'reject', 'pause', 'resume', 'delist'] as const
export type ReviewAction = (typeof reviewActions)[number]

/** How the latest decision reads in a project's `review`. */
export const reviewStatuses = ['pending', 'approved', 'rejected', 'paused', 'delisted'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]

/** The effect of a decision on a project. */
export interface ReviewMove {
  /** Statuses it can be made in. */
  readonly from: readonly ListingStatus[]
  readonly to: ListingStatus
  readonly review: ReviewStatus
}

/**
 * The moves that operators make. They do not include moves that follow from the chain or from a vault's balance:
 * `submitted` → `pending_review`, and `listed` ↔ `underfunded`.
 */
export const reviewMoves: { readonly [A in ReviewAction]: ReviewMove } = {
  approve: { from: ['pending_review'], to: 'listed', review: 'approved' },
  reject: { from: ['pending_review'], to: 'rejected', review: 'rejected' },
  pause: { from: ['listed'], to: 'paused', review: 'paused' },
  resume: { from: ['paused'], to: 'listed', review: 'approved' },
  delist: { from: ['listed', 'paused', 'underfunded'], to: 'delisted', review: 'delisted' },
}
