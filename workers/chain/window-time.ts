import type { Services } from '../services.ts'

/** What time it is for windows of the contracts, in Unix seconds: the chain's clock counts where it is ahead. */
export async function windowTime({
  clock,
  chainIndex,
}: Pick<Services, 'clock' | 'chainIndex'>): Promise<number> {
  const [now, newest] = await Promise.all([clock.now(), chainIndex.newestTime()])
  return Math.max(now, newest)
}
