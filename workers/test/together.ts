import { vi } from 'vitest'
import { collectMs } from '../../durable-objects/link/validating.ts'

/** Has links to validators collect for as long as some work takes, however busy this machine is. */
export async function together<T>(work: () => Promise<T>): Promise<T> {
  let isDone = false
  const set = globalThis.setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    // Each turn is one of the object that collects: no other may send for it.
    const turn = (): unknown => (isDone ? run() : set(turn, 1))
    return set(ms === collectMs ? turn : run, ms)
  }) as typeof setTimeout)
  try {
    return await work()
  } finally {
    isDone = true
    timers.mockRestore()
  }
}
