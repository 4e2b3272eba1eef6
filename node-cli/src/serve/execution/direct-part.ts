import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Part, repeatingPart, type Uses } from '../part.ts'
import type { DirectRetention } from '../store/direct-rounds.ts'

const lookSeconds = 60

/** Drops direct rounds whose time is over, also when no further one comes. */
export function directRoundsPart(
  { store, clock, log, status }: Uses<'clock' | 'log' | 'status', 'directRounds'>,
  retention: DirectRetention,
): Part {
  const stopping = new AbortController()
  status.set('direct_rounds', store.directRounds.totals)
  return repeatingPart(async () => {
    try {
      while (!stopping.signal.aborted && store.directRounds.prune(retention, clock.now()) > 0)
        await nextTurn()
    } catch (error) {
      log.error('old direct rounds could not be dropped', { reason: (error as Error).message })
    }
    return lookSeconds
  }, stopping)
}
