import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a number of seconds, or until it is told to stop. */
export type Wait = (seconds: number, stop: AbortSignal) => Promise<void>

/** Waits without keeping the process alive. */
export const waitUnreferenced: Wait = (seconds, stop) =>
  sleep(1000 * seconds, undefined, { ref: false, signal: stop }).catch(() => {})

/** Does something again and again until it is told to stop. @param work gives the seconds to wait; it throws nothing. */
export async function repeat(work: () => Promise<number>, stop: AbortSignal, wait: Wait): Promise<void> {
  while (!stop.aborted) await wait(await work(), stop)
}

const firstSeconds = 1
const longestSeconds = 60

/**
 * How long to wait after a number of failures in a row: twice as long after each, up to a minute, and each node another part
 * of that, so that a hub that comes back is not called by all at once.
 *
 * @param random from 0 to 1.
 */
export const backoffSeconds = (failures: number, random: number): number =>
  Math.min(firstSeconds * 2 ** Math.min(failures, 10), longestSeconds) * (0.5 + random / 2)
