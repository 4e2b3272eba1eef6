/** The time that a piece of work may take. */
import { DeadlineError, HubError } from './errors.ts'
import { timerMaxMs } from './retries.ts'

/** Waits for what others wait for too: it goes on when this caller's signal is aborted. @throws its reason. */
export const unlessAborted = <T>(signal: AbortSignal | undefined, shared: Promise<T>): Promise<T> =>
  withDeadline('', Number.POSITIVE_INFINITY, signal, () => shared)

/** The time that a piece of work has. */
export interface Clock {
  readonly leftMs: () => number
  /** Waits for something that takes none of it. */
  readonly without: <T>(wait: () => Promise<T>) => Promise<T>
}

/** Of work that is tried once, however long it takes. */
export const noClock: Clock = { leftMs: () => 0, without: (wait) => wait() }

/**
 * Runs something that ends with a caller's signal, or after a time, whether or not it listens: a wallet does not.
 *
 * @throws {@link DeadlineError}, or the reason of the signal.
 */
export async function withDeadline<T>(
  what: string,
  timeout: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal, clock: Clock) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  if (!(timeout >= 0)) throw new HubError(`timeout must be a number of milliseconds, not ${timeout}.`)
  const late = new AbortController()
  const deadline = late.signal
  let endMs = Date.now() + timeout
  const leftMs = () => endMs - Date.now()
  // Deno waits for the end of a signal of AbortSignal.timeout that somebody listens to.
  const startTimer = (ms: number) =>
    ms === Number.POSITIVE_INFINITY
      ? undefined
      : setTimeout(() => late.abort(), Math.min(timerMaxMs, Math.round(ms)))
  let timer = startTimer(timeout)
  let isOver = false
  const clock: Clock = {
    leftMs,
    without: async (wait) => {
      const left = leftMs()
      clearTimeout(timer)
      try {
        return await wait()
      } finally {
        endMs = Date.now() + left
        if (!isOver) timer = startTimer(left)
      }
    },
  }
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  let onAbort = () => {}
  const ended = new Promise<never>((_, reject) => {
    onAbort = () => reject(either.reason)
  })
  either.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([run(either, clock), ended])
  } catch (error) {
    signal?.throwIfAborted()
    if (deadline.aborted)
      throw new DeadlineError(`${what} took longer than ${timeout / 1_000} s.`, { cause: error })
    throw error
  } finally {
    isOver = true
    clearTimeout(timer)
    // A signal of several that somebody listens to is kept for as long as the caller's, which may be for ever.
    either.removeEventListener('abort', onAbort)
  }
}
