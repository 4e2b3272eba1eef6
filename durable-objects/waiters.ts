/** Callers that wait until something is so, each for a while. */
export class Waiters {
  readonly #waiting = new Set<{ isSo: () => boolean; resolve: (isSo: boolean) => void }>()

  /** Whether it was so in time, as far as {@link look} saw. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter = { isSo, resolve }
    this.#waiting.add(waiter)
    const timer = setTimeout(resolve, ms, false)
    const outcome = await promise
    clearTimeout(timer)
    this.#waiting.delete(waiter)
    return outcome
  }

  /** Looks at what each of them waits for. */
  look(): void {
    for (const { isSo, resolve } of this.#waiting) if (isSo()) resolve(true)
  }
}
