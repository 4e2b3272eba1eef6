/** Callers of an object that wait for one kind of thing at once. The platform gives an object 10,000 timers, and its own work needs some. */
export const waitersMax = 4_000

/** Callers that wait until something is so, each for a while. */
export class Waiters {
  readonly #waiting = new Set<{ isSo: () => boolean; resolve: (isSo: boolean) => void }>()

  /** Whether it was so in time, as far as {@link look} saw. A caller more than {@link waitersMax} does not wait. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true
    if (this.#waiting.size >= waitersMax) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter = { isSo, resolve }
    this.#waiting.add(waiter)
    const timer = setTimeout(resolve, ms, false)
    const outcome = await promise
    clearTimeout(timer)
    this.#waiting.delete(waiter)
    return outcome
  }

  look(): void {
    for (const { isSo, resolve } of this.#waiting) if (isSo()) resolve(true)
  }
}
