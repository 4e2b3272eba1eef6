import { AnswerError, Refusal, UnreachableError } from './errors.ts'

export interface RetryOptions {
  /** How often a call is sent at most; 1 for never again. Default: 4. */
  readonly attempts?: number | undefined
  /** Tries beyond the first of all calls together that a hub in trouble gets; each tenth success gives one back. Default: 20. */
  readonly budget?: number | undefined
  /** The first pause where the hub names none; each later one is twice as long. Milliseconds, default: 200. */
  readonly pause?: number | undefined
}

const refill = 0.1
const pauseMaxMs = 10_000
/** For an action of an owner: a chain may take three minutes to confirm it, and a person some to sign it. */
export const actionTimeoutMs = 600_000
/** A longer timer ends at once. */
export const timerMaxMs = 2 ** 31 - 1

/** Says whether and when calls of one hub are sent again. */
export class Retries {
  readonly #attempts: number
  readonly #pause: number
  readonly #budget: number
  #left: number

  constructor({ attempts = 4, budget = 20, pause = 200 }: RetryOptions = {}) {
    this.#attempts = attempts
    this.#pause = pause
    this.#budget = this.#left = budget
  }

  succeeded(): void {
    this.#left = Math.min(this.#budget, this.#left + refill)
  }

  /** @returns Milliseconds to wait before the next try, or null if there is no next try. */
  next(error: unknown, attempt: number, repeatable: boolean, leftMs: number): number | null {
    if (attempt >= this.#attempts || this.#left < 1 || !isWorthIt(error, repeatable)) return null
    const { retryAfter } = error as { retryAfter?: number }
    const waitMs = retryAfter === undefined ? this.pauseOf(attempt) : retryAfter * 1_000
    if (waitMs >= leftMs) return null
    this.#left--
    return waitMs
  }

  /** Grows with each failure, and differs from that of other clients. */
  pauseOf(failures: number): number {
    return Math.min(pauseMaxMs, this.#pause * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
  }
}

function isWorthIt(error: unknown, repeatable: boolean): boolean {
  if (error instanceof UnreachableError) return repeatable
  if (!(error instanceof Refusal || error instanceof AnswerError)) return false
  const { status, retryAfter } = error
  // Nothing was done.
  if (status === 429) return true
  if (!repeatable) return false
  // The first try with the same key is still running.
  if (status === 409) return retryAfter !== undefined
  if (![500, 502, 503, 504].includes(status)) return false
  return retryAfter !== undefined || ['internal', 'unavailable', 'bad_answer'].includes(error.code)
}

/** Waits, unless the signal is aborted. @throws its reason. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(timerMaxMs, ms),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
