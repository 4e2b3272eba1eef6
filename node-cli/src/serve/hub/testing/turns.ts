import type { Wait } from '../repeat.ts'

/** Pauses that last until a test ends them. */
export interface Turns {
  readonly wait: Wait
  /** The seconds of the pause that is or comes. */
  readonly pause: () => Promise<number>
  /** Ends the pause, and gives the seconds of the next one. */
  readonly next: () => Promise<number>
}

export function createTurns(): Turns {
  let paused = Promise.withResolvers<number>()
  let over = Promise.withResolvers<void>()
  return {
    wait: (seconds, stop) => {
      if (stop.aborted) over.resolve()
      stop.addEventListener('abort', () => over.resolve())
      paused.resolve(seconds)
      return over.promise
    },
    pause: () => paused.promise,
    next: () => {
      paused = Promise.withResolvers()
      const ended = over
      over = Promise.withResolvers()
      ended.resolve()
      return paused.promise
    },
  }
}
