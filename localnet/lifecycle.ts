import { CommandError, isExpected } from '../scripts/command/errors.ts'

const parentPollMs = 500
/** A part that does not end by then is left as it is, so that the others end. */
const patienceMs = 60_000
const signals: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Ends the parts of this process once, in the reverse of the order in which they began. */
export class Lifecycle {
  readonly #ends: (() => unknown)[] = []
  readonly #patienceMs: number
  #stopping = false

  /** @param patience How long a part may take to end, in milliseconds. */
  constructor(patience = patienceMs) {
    this.#patienceMs = patience
  }

  get stopping(): boolean {
    return this.#stopping
  }

  /** Has `end` called when everything stops. */
  onStop(end: () => unknown): void {
    this.#ends.push(end)
  }

  /**
   * Does what must not be left half done: when everything stops meanwhile, that waits for it, and ends what it gave. Never
   * returns once everything stops.
   */
  async run<T>(work: () => Promise<T>, end: (done: T) => unknown = () => {}): Promise<T> {
    if (this.#stopping) return never
    const working = work()
    // A failure is for the caller, and leaves nothing to end.
    this.onStop(() => working.then(end, () => {}))
    const done = await working
    return this.#stopping ? never : done
  }

  /**
   * Stops upon Ctrl-C, SIGTERM and the end of the terminal.
   *
   * @param exitCode of a process that is stopped so: 0 if it runs until then, another if it had an end of its own to reach.
   */
  stopOnSignals(exitCode = 0): void {
    const stop = () => void this.#interrupt(exitCode)
    for (const signal of signals) process.on(signal as NodeJS.Signals, stop)
    // Miniflare adds handlers that end the process at once, before anything is closed. No signal is handled before the next
    // tick, so none of them is ever called.
    process.on('newListener', (event, listener) => {
      if (signals.includes(event) && listener !== stop)
        process.nextTick(() => process.off(event, listener as () => void))
    })
  }

  /** Stops when the process that started this one is killed, and can pass no signal on. */
  stopWithParent(): void {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && this.#interrupt(0), parentPollMs).unref()
  }

  /** Ends everything, and then this process. */
  async stop(exitCode: number): Promise<never> {
    // One stop is enough: a Ctrl-C reaches this process from the terminal and from npm.
    if (this.#stopping) return never
    this.#stopping = true
    for (const end of this.#ends.reverse()) {
      try {
        await this.#inTime(end())
      } catch (error) {
        // For an error that is not a bug, a stack adds nothing, and would hide why everything stops.
        const reason = isExpected(error) ? error.message : error
        console.error('Some parts did not stop cleanly:', reason)
      }
    }
    process.exit(exitCode)
  }

  /** @throws {@link CommandError} */
  #inTime(ending: unknown): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const message = `one of them did not end within ${this.#patienceMs / 1_000} s.`
    const timer = setTimeout(() => reject(new CommandError(message)), this.#patienceMs)
    return Promise.race([ending, late]).finally(() => clearTimeout(timer))
  }

  #interrupt(exitCode: number): Promise<never> {
    if (!this.#stopping) console.error('… Stopping')
    return this.stop(exitCode)
  }
}

const never = new Promise<never>(() => {})
