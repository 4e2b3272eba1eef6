import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does something again and again until it is told to stop. Between two times it waits without keeping the process alive.
 *
 * @param work gives the seconds to wait; it throws nothing.
 */
export async function repeat(work: () => Promise<number>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const seconds = await work()
    await sleep(1000 * seconds, undefined, { ref: false, signal: stop }).catch(() => {})
  }
}
