import { AnswerError, DeadlineError, Refusal, UnreachableError } from '../../../sdk/errors.ts'

const serverFault = 500

/**
 * Whether a call may have acted although it failed: its answer is lost, came too late, does not come from a hub, or says that the hub
 * itself failed. Any other refusal is an answer, and a fault of this page sends nothing.
 */
export const isUncertain = (error: Error): boolean =>
  error instanceof UnreachableError ||
  error instanceof DeadlineError ||
  error instanceof AnswerError ||
  (error instanceof Refusal && error.status >= serverFault)
