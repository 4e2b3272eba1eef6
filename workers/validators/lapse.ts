import { isEmergencyGeneration, type ValidatorGeneration } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import type { PendingGeneration } from '../stores/pending-generations.ts'

/** A generation must be whole this long before it takes effect, so that nodes know it by then: they ask every 50 seconds. */
const noticeSecs = 60
/** A validator signs the next document of a number once the one before has passed by its own clock, which may be behind. */
const skewSecs = 10
/** How far ahead a generation that lapsed again and again takes effect: signatures have that long to come together. */
const longestLeadSecs = 3_600

/** Whether a generation may still become whole at a time. An emergency generation always may. */
export const isInTime = (previous: ValidatorGeneration, next: ValidatorGeneration, now: number): boolean =>
  isEmergencyGeneration(previous, next) || now <= next.effective_at - noticeSecs

/** When something is to be done for a generation that waits: asking for signatures, or making it again once it has lapsed. */
export function dueAt(
  previous: ValidatorGeneration,
  { document, nextAttemptAt }: Pick<PendingGeneration, 'document' | 'nextAttemptAt'>,
  now: number,
): number {
  const attemptAt = Math.max(now, nextAttemptAt)
  return isInTime(previous, document, attemptAt) ? attemptAt : Math.max(now, document.effective_at + skewSecs)
}

/** When a generation that is made now takes effect, after it has lapsed `renewals` times. */
export function effectiveFrom(previous: ValidatorGeneration, now: number, renewals = 0): number {
  const leadSecs = Math.min(longestLeadSecs, defaultNetworkParams.snapshot_lead_secs * 2 ** renewals)
  return Math.max(now + leadSecs, previous.effective_at + 1)
}
