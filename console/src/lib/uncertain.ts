import { AnswerError, DeadlineError, Refusal, UnreachableError } from '../../../sdk/errors.ts'

const serverFault = 500

/**
 * Whether a call may have acted although it failed: its answer is lost, came too late, does not come from a hub, or is a refusal
 * that leaves it open. Any other refusal is an answer, and a fault of this page sends nothing.
 */
export const isUncertain = (error: Error): boolean =>
  error instanceof UnreachableError ||
  error instanceof DeadlineError ||
  error instanceof AnswerError ||
  (error instanceof Refusal && !isSettled(error))

/** Whether a refusal says that the call came to nothing: not where the hub failed, gave up waiting, or still runs its first try. */
export const isSettled = ({ status, retryAfter }: Refusal): boolean =>
  status < serverFault && status !== 408 && (status !== 409 || retryAfter === undefined)
