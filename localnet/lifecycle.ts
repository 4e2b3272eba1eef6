const parentPollMs = 500

/** What runs in this process: ended once, in the reverse of the order in which it began. */
export class Lifecycle {
  readonly #ends: (() => unknown)[] = []
  #stopping = false

  get stopping(): boolean {
    return this.#stopping
  }

  /** Has `end` called when everything stops. */
  onStop(end: () => unknown): void {
    this.#ends.push(end)
  }

  /** Stops upon Ctrl-C, SIGTERM and the end of the terminal. */
  stopOnSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      // Miniflare's own handlers end the process at once, before its databases are closed.
      process.removeAllListeners(signal)
      process.on(signal, () => this.stop(0))
    }
  }

  /** Stops when the process that started this one is killed, and can pass no signal on. */
  stopWithParent(): void {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && this.stop(0), parentPollMs).unref()
  }

  /** Ends everything, and then this process. */
  async stop(exitCode: number): Promise<never> {
    // One stop is enough: a Ctrl-C reaches this process from the terminal and from npm.
    if (this.#stopping) return new Promise(() => {})
    this.#stopping = true
    if (exitCode === 0) console.error('… Stopping')
    for (const end of this.#ends.reverse()) {
      try {
        await end()
      } catch (error) {
        console.error('Something did not end as it should:', error)
      }
    }
    process.exit(exitCode)
  }
}
