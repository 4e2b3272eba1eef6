/** A task that a visitor submits, to its end. */
import { AnswerError, Refusal, UnreachableError } from '../../../sdk/index.ts'
import { hub, type Round, type Task } from './hub.ts'

/** Between two reads; the hub holds back its answer for longer where nothing changes. */
const pauseMs = 500
/** Of one kind, in a row. */
const failuresMax = 5

const isOver = (state: string | undefined): boolean => state === 'finalized' || state === 'failed'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Reads a task and its round until both are over. What is away for a moment is asked again.
 *
 * @param tell is called with what was read; false ends it.
 * @throws what the hub said the last time.
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
      if (!passes || ++failures[kind] > failuresMax) throw error
      const retryAfter = error instanceof Refusal ? (error.retryAfter ?? 0) : 0
      await pause(Math.max(1_000 * retryAfter, pauseMs * 2 ** failures[kind]))
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

const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  ((error instanceof Refusal || error instanceof AnswerError) &&
    (error.status === 429 || error.status >= 500))

/** What a task gave, as bytes; null where it is not shown. */
export const outputBytes = ({
  output,
  output_b64,
}: Pick<Task, 'output' | 'output_b64'>): Uint8Array | null =>
  output_b64 !== undefined
    ? Uint8Array.from(atob(output_b64), (character) => character.charCodeAt(0))
    : output === null
      ? null
      : new TextEncoder().encode(output)
