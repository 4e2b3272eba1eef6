import type { Services } from '../services.ts'

/** The time for windows of the contracts, in Unix seconds: the hub's clock, or the newest block's time if that is later. */
export async function windowTime({
  clock,
  chainIndex,
}: Pick<Services, 'clock' | 'chainIndex'>): Promise<number> {
  const [now, newest] = await Promise.all([clock.now(), chainIndex.newestTime()])
  return Math.max(now, newest)
}
