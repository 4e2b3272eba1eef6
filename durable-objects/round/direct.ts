import type { ExecutionEvent, ExecutionReceipt } from '../../protocol/execution/index.ts'
import type { DirectRound } from '../../protocol/identity/index.ts'

export interface DirectRequest {
  roundId: string
  round: DirectRound
  /** Base64. */
  input: string
  /** Whether the nonce is that of every try under one `Idempotency-Key`. */
  isNamed?: boolean
}

export interface DirectResult {
  receipt: ExecutionReceipt
  /** Base64. */
  output: string
  events: readonly ExecutionEvent[]
  /** Why the run failed, in the words of a validator that agrees. */
  error: string | null
}

/** The outcome of the validators' votes: a quorum of equal ones, or none in time. */
export interface DirectOutcome {
  /** Differs from the one that was asked for if another try under the same name was decided. */
  roundId: string
  result: DirectResult | null
  /** Valid ones. */
  votes: number
  quorum: number
  /** Why nobody was asked. */
  refusal?: 'busy' | 'other_request'
}
