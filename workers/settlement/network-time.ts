import { unixNow } from '../../durable-objects/clock.ts'
import type { Services } from '../services.ts'

/** What time it is for windows of the contracts, in Unix seconds: the chain's clock counts where it is ahead. */
export async function networkTime({ chainIndex }: Pick<Services, 'chainIndex'>): Promise<number> {
  return Math.max(unixNow(), await chainIndex.newestTime())
}
