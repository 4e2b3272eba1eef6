/** A task that a visitor submits, to its end. */
import { AnswerError, Refusal, UnreachableError } from '../../../sdk/index.ts'
import { connection } from './connection.svelte.ts'
import { hub, type Round, type Task } from './hub.ts'
import { isUncertain } from './uncertain.ts'

/** Pause between two reads; the hub holds back its answer for longer if nothing changes. */
const pauseMs = 500
/** Failures of one kind in a row that the reading survives; a hub that is away is asked until it is back. */
const failuresMax = 5
const pauseMaxMs = 15_000

const isOver = (state: string | undefined): boolean => state === 'finalized' || state === 'failed'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Reads a task and its round until both are over. If the hub is away for a moment, it is asked again.
 *
 * @param tell is called with each result; if it returns false, the reading ends.
 * @throws the last error of the hub.
 */
export async function followTask(
  id: string,
  tell: (task: Task, round: Round | null) => boolean,
): Promise<void> {
  const failures = { task: 0, round: 0 }
  const read = async <T>(kind: keyof typeof failures, call: Promise<T>): Promise<T | null> => {
    try {
      const answer = await call
      failures[kind] = 0
      return answer
    } catch (error) {
      // A round may be shown a moment later than its task names it.
      const passes = kind === 'round' || isPassing(error)
      const isAway = error instanceof UnreachableError
      if (!passes || (++failures[kind] > failuresMax && !isAway)) throw error
      const usualMs = Math.min(pauseMaxMs, pauseMs * 2 ** failures[kind])
      const waitMs = Math.max(1_000 * (retryAfterOf(error) ?? 0), usualMs)
      if (isAway) connection.wait('away', waitMs)
      else if (isLimit(error)) connection.wait('limited', waitMs)
      await pause(waitMs)
      return null
    }
  }
  for (;;) {
    const task = await read('task', hub.task(id))
    if (task !== null) {
      const round = task.round_id === null ? null : await read('round', hub.round(task.round_id))
      if (!tell(task, round)) return
      if (isOver(task.status) && (task.round_id === null || isOver(round?.state))) return
    }
    await pause(pauseMs)
  }
}

export const isLimit = (error: unknown): boolean => error instanceof Refusal && error.status === 429

/** Seconds that the hub asks to wait. */
export const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof Refusal || error instanceof AnswerError ? error.retryAfter : undefined

/** Whether the same call may succeed later by itself, or has succeeded although its answer is lost. */
export const isPassing = (error: unknown): boolean =>
  isLimit(error) || (error instanceof Error && isUncertain(error))

/** The output of a task, as bytes; null if it is not shown. */
export const outputBytes = ({
  output,
  output_b64,
}: Pick<Task, 'output' | 'output_b64'>): Uint8Array | null =>
  output_b64 !== undefined
    ? Uint8Array.from(atob(output_b64), (character) => character.charCodeAt(0))
    : output === null
      ? null
      : new TextEncoder().encode(output)
