const firstPauseMs = 1_000
export const longestPauseMs = 60_000

/** Work that failed, by name: how often, and when it is due again. */
export class Attempts {
  readonly #failures = new Map<string, { count: number; untilMs: number }>()

  isDue(name: string): boolean {
    return (this.#failures.get(name)?.untilMs ?? 0) <= Date.now()
  }

  /** When work is due again that is not yet. */
  comingMs(nowMs: number): number[] {
    return [...this.#failures.values()].map(({ untilMs }) => untilMs).filter((ms) => ms > nowMs)
  }

  succeeded(name: string): void {
    this.#failures.delete(name)
  }

  failed(name: string): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(16, count - 1))
    this.#failures.set(name, { count, untilMs: Date.now() + pauseMs })
  }
}
