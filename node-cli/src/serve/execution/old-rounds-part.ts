import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Part, repeatingPart, type Uses } from '../part.ts'
import type { DirectRetention } from '../store/direct-rounds.ts'
import { taskDataRetention } from '../store/task-data.ts'

const lookSeconds = 60

/** Drops direct rounds, and data of task rounds, whose time is over, also when no further ones come. */
export function oldRoundsPart(
  { store, clock, log, status }: Uses<'clock' | 'log' | 'status', 'directRounds' | 'taskData'>,
  retention: DirectRetention,
): Part {
  const stopping = new AbortController()
  status.set('direct_rounds', store.directRounds.totals)
  const dropAll = async (message: string, drop: (now: number) => number): Promise<void> => {
    try {
      while (!stopping.signal.aborted && drop(clock.now()) > 0) await nextTurn()
    } catch (error) {
      log.error(message, { reason: (error as Error).message })
    }
  }
  return repeatingPart(async () => {
    await dropAll('old direct rounds could not be dropped', (now) => store.directRounds.prune(retention, now))
    await dropAll('old data of tasks could not be dropped', (now) =>
      store.taskData.prune(taskDataRetention, now),
    )
    return lookSeconds
  }, stopping)
}
