import type { Services } from '../services.ts'
import { KnownEpochStore } from '../stores/known-epochs.ts'

/**
 * How many rounds of an epoch are not over, or not in the database yet, out of all to which the project's object gave a `seq`.
 * Sums over an epoch are complete at 0. @throws {@link ApiError} 503 `unavailable` while the object does not say.
 */
export async function openRounds(
  { committees, store }: Pick<Services, 'committees' | 'store'>,
  projectId: string,
  epoch: number,
): Promise<number> {
  if (committees === null) return 0
  const { given, open } = await committees(projectId).openRounds(epoch)
  if (given === 0) return 0
  const { totals } = await store(KnownEpochStore).read(projectId, epoch)
  return Math.max(open, given - (totals[0]?.rounds ?? 0))
}
