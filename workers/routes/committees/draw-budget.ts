import type { HubContext } from '../../context.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import type { CommitteeSet } from '../../stores/committee-sets.ts'

/** Draws from sets with fewer entries cost no more than other calls. */
const cheapEntries = 1_000

/** Pays for a draw from a set, which reads all of it. @throws {@link ApiError} 429 `rate_limited`. */
export async function spendDraw(c: HubContext, { entries }: Pick<CommitteeSet, 'entries'>): Promise<void> {
  if (entries > cheapEntries) await spendAddressBudget(c, 'large_draw')
}
