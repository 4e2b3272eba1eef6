import { setTimeout as sleep } from 'node:timers/promises'

/** Waits so many seconds, or until it is told to stop. */
export type Wait = (seconds: number, stop: AbortSignal) => Promise<void>

/** Waits without keeping the process alive. */
export const waitUnreferenced: Wait = (seconds, stop) =>
  sleep(1000 * seconds, undefined, { ref: false, signal: stop }).catch(() => {})

/**
 * Does something again and again until it is told to stop.
 *
 * @param work gives the seconds to wait; it throws nothing.
 */
export async function repeat(work: () => Promise<number>, stop: AbortSignal, wait: Wait): Promise<void> {
  while (!stop.aborted) await wait(await work(), stop)
}
