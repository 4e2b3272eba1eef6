import { isAwaited } from '../../committees/schedule.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import type { CommitteeSet, ReadSet } from '../../stores/committee-sets.ts'
import { findVisible } from '../projects/access.ts'

/**
 * The set of an epoch once it was attested, for those who may see the project. @throws {@link ApiError} 404 `not_found`; 425
 * `invalid_state` while the set is still to be attested.
 */
export async function requireAttested(c: HubContext, projectId: string, epoch: number): Promise<ReadSet> {
  const { committeeSets, clock } = c.var.services
  const [record, set, now] = await Promise.all([
    findVisible(c, projectId),
    committeeSets.find(projectId, epoch),
    clock.now(),
  ])
  if (set !== null && set.attestedAt !== null) return set
  if (set === null && !isAwaited(epoch, record.current.epochSecs, now)) throw noSet(projectId, epoch)
  throw new ApiError(
    'invalid_state',
    `No quorum of the validators has attested the set of epoch ${epoch} yet. Try again shortly.`,
    { status: 425, details: { reason: 'not_attested' } },
  )
}

export const noSet = (projectId: string, epoch: number): ApiError =>
  new ApiError('not_found', `No set of ${projectId} exists for epoch ${epoch}.`)

/** Draws from sets with fewer entries cost no more than other calls. */
const cheapEntries = 1_000

/** Pays for a draw from a set, which reads all of it. @throws {@link ApiError} 429 `rate_limited`. */
export async function spendDraw(c: HubContext, { entries }: Pick<CommitteeSet, 'entries'>): Promise<void> {
  if (entries > cheapEntries) await spendAddressBudget(c, 'large_draw')
}
