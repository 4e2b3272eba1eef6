import type { OfferResult } from '../../durable-objects/link/types.ts'
import { isSoonAfterChange, type ParamsSchedule } from '../../protocol/identity/index.ts'
import { longestEpochSecs } from '../../protocol/manifest/index.ts'

/** Whether nobody is blamed for being away or for declining, because a node may be of a version that does not know the last change of parameters. */
export const isInGrace = (schedule: ParamsSchedule, now: number): boolean =>
  isSoonAfterChange(schedule, now, longestEpochSecs)

/** The outcome of an offer in that time: a node that is away is replaced, and owes nothing. */
export const offeredInGrace = (outcome: OfferResult): OfferResult =>
  outcome === 'offline' || outcome === 'absent' ? 'dropped' : outcome
