import type { ErrorCode } from '../../../../protocol/errors.ts'
import { NodeFault } from '../../engine/index.ts'
import { ReceiptDiffers } from '../epochs/epoch-receipts.ts'
import { RoundsOpen } from '../epochs/open-rounds.ts'
import { QueueFull } from '../execution/execution-queue.ts'
import { StateBehind } from '../execution/state-behind.ts'
import { GenerationRefused } from '../generations/signer.ts'
import { ApiError, unavailable } from '../http/api-error.ts'
import type { Log, LogFields } from '../log.ts'
import { VoteWithheld } from '../slashing-protection/votes.ts'
import { NotYet, Refusal } from '../validator/refusal.ts'

/** Estimated seconds until a full queue has room, open rounds are over, and a hub or a chain answers. */
const retrySeconds = { queue: 1, rounds: 10, other: 5 }

/** 409 `invalid_state` for what only validators sign. */
export const noValidator = (): ApiError =>
  new ApiError(
    'invalid_state',
    'This node is not a validator, so it does not sign decisions of validators.',
    {
      details: { reason: 'no_validator' },
    },
  )

/** The code that a frame is answered with; an unexpected error is logged. */
export function codeOf(error: unknown, log: Log, message: string, about: LogFields): ErrorCode {
  if (error instanceof ApiError) return error.code
  log.error(message, { ...about, reason: String(error) })
  return 'internal'
}

/** Returns the result of `work`; its expected errors become errors of the API. @throws {@link ApiError} */
export async function orFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal)
      throw new ApiError('invalid_evidence', `This node does not sign this. ${error.message}`, {
        details: { problems: error.problems },
        cause: error,
      })
    if (error instanceof NotYet)
      throw unavailable(`This node cannot tell yet: ${error.message}.`, retrySeconds.other)
    if (error instanceof QueueFull)
      throw unavailable('The node has no room for another execution. Try again shortly.', retrySeconds.queue)
    if (error instanceof NodeFault)
      throw new ApiError('unavailable', `The node cannot tell what the module answers: ${error.message}.`, {
        details: { reason: 'node_fault' },
      })
    if (error instanceof StateBehind)
      throw new ApiError('invalid_state', `This node does not vote yet: ${error.message}.`, {
        details: { reason: 'state_behind', modules: error.modules },
      })
    if (error instanceof ReceiptDiffers)
      throw new ApiError('invalid_evidence', `This node does not sign this. ${error.message}`, {
        details: { difference: error.difference },
        cause: error,
      })
    if (error instanceof RoundsOpen)
      throw new ApiError('invalid_state', error.message, {
        status: 425,
        details: { reason: 'rounds_open', until: error.until },
        headers: { 'Retry-After': String(retrySeconds.rounds) },
        cause: error,
      })
    if (error instanceof GenerationRefused)
      throw new ApiError('invalid_state', error.message, { details: { reason: error.reason }, cause: error })
    if (error instanceof VoteWithheld)
      throw new ApiError('invalid_state', error.message, { details: { reason: 'vote_withheld' } })
    throw error
  }
}
