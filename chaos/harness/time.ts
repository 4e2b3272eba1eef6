import { Difference } from './difference.ts'

export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Reads until a condition holds.
 *
 * @param isSo - Whether the condition holds, or a text that shows the present state.
 * @throws {@link Difference} when it does not hold after ten minutes, a long time even on a busy machine.
 */
export async function until(
  what: string,
  isSo: () => Promise<boolean | string>,
  { pollMs = 2_000, limitMs = 600_000 }: { pollMs?: number; limitMs?: number } = {},
): Promise<void> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const answer = await isSo()
    if (answer === true) return
    const seen = answer === false ? '' : `; seen last: ${answer}`
    if (performance.now() > endMs)
      throw new Difference(`waited ${limitMs / 1000} s in vain until ${what}${seen}`)
    await delay(pollMs)
  }
}

export interface Event {
  readonly ms: number
  readonly happen: () => unknown
}

/** Lets each fault happen at its time, and returns once the last one is over. */
export async function happenInTime(events: readonly Event[]): Promise<void> {
  await Promise.all(
    events.map(async ({ ms, happen }) => {
      await delay(ms)
      await happen()
    }),
  )
}

/** Runs the schedule of a hub again and again; a deployment runs it every five minutes. A run that has begun is finished. */
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

/** Works on each item, a few at a time. @returns The results in the order of the items. */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const next = items.entries()
  const oneByOne = async () => {
    for (const [index, item] of next) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: atOnce }, oneByOne))
  return results
}
