import { delay } from './settlement/chaos/difference.ts'

/**
 * Runs the schedule of a hub again and again, which a deployment does every five minutes. What it is doing when it is stopped
 * comes to its end.
 */
export function runCrons(schedule: () => Promise<void>, pauseMs: number): { stop: () => Promise<void> } {
  let stopped = false
  const run = async () => {
    while (!stopped) {
      await schedule()
      await delay(pauseMs)
    }
  }
  const running = run()
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}
