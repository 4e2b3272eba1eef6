import { waitersMax } from '../waiters.ts'

/** Callers that wait for the ends of rounds: here, because the object of a project serves many of them in the time that it is charged for once. */
export class AwaitedEnds<View> {
  /** By the ids of rounds. */
  readonly #waiting = new Map<string, Set<(view: View | null) => void>>()
  #count = 0

  /** @returns The round as it ended; null if that has to be read, also because the time is over, or too many wait. */
  async wait(roundId: string, ms: number): Promise<View | null> {
    if (this.#count >= waitersMax) return null
    this.#count += 1
    const { promise, resolve } = Promise.withResolvers<View | null>()
    const waiting = this.#waiting.get(roundId) ?? new Set()
    this.#waiting.set(roundId, waiting.add(resolve))
    const timer = setTimeout(resolve, ms, null)
    const view = await promise
    clearTimeout(timer)
    this.#count -= 1
    waiting.delete(resolve)
    if (waiting.size === 0 && this.#waiting.get(roundId) === waiting) this.#waiting.delete(roundId)
    return view
  }

  over(roundId: string, view: View | null): void {
    for (const resolve of this.#waiting.get(roundId) ?? []) resolve(view)
  }
}
