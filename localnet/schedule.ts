import { setTimeout as sleep } from 'node:timers/promises'
import type { Hub } from './hub.ts'
import { readStatus } from './hub-status.ts'

/** How often crons run, in network time; nothing else runs them here. */
const cronSecs = 5 * 60
const lookMs = 1_000

/**
 * Runs the crons of a hub at once, and then every five minutes of network time: what becomes due when somebody moves the
 * time of the network ahead is done within about a second.
 *
 * @param origin of the hub, which says what time it is.
 * @param onFailure told why crons failed; they run again.
 * @returns Ends it.
 */
export async function keepSchedule(
  { runSchedule }: Pick<Hub, 'runSchedule'>,
  origin: string,
  onFailure: (error: unknown) => void,
): Promise<() => void> {
  let isEnded = false
  const run = async () => {
    try {
      await runSchedule()
    } catch (error) {
      // A failure while the hub stops is caused by the stop.
      if (!isEnded) onFailure(error)
    }
  }
  // Without the first run nobody would wake the indexer and the relayer.
  await run()
  const goOn = async (ranAt: number) => {
    while (!isEnded) {
      await sleep(lookMs, undefined, { ref: false })
      const { time: now } = isEnded ? {} : await readStatus(origin)
      if (now === undefined || now - ranAt < cronSecs) continue
      ranAt = now
      await run()
    }
  }
  void readStatus(origin).then(({ time = 0 }) => goOn(time))
  return () => {
    isEnded = true
  }
}
