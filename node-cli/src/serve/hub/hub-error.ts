import { CliError } from '../../cli/errors.ts'

/**
 * How a call failed: nobody answered or the hub cannot answer at the moment, the hub refused the call, or the answer is not
 * one of a hub of this network.
 */
export type HubFailure = 'unreachable' | 'refused' | 'invalid_answer'

interface Details {
  readonly hint?: string
  /** HTTP status, where there was an answer. */
  readonly status?: number
  /** `details.reason` of a refusal. */
  readonly reason?: string
  /** From `Retry-After`. */
  readonly retryAfterSeconds?: number
}

export class HubError extends CliError {
  override readonly name = 'HubError'
  readonly failure: HubFailure
  readonly status: number | null
  readonly reason: string | null
  readonly retryAfterSeconds: number | null

  constructor(
    failure: HubFailure,
    code: string,
    message: string,
    { hint, status, reason, retryAfterSeconds }: Details = {},
  ) {
    super(code, message, hint === undefined ? {} : { hint })
    this.failure = failure
    this.status = status ?? null
    this.reason = reason ?? null
    this.retryAfterSeconds = retryAfterSeconds ?? null
  }

  /** Whether the same call may succeed later, without anybody changing anything. */
  get isPassing(): boolean {
    return this.failure === 'unreachable' || this.status === 429
  }
}

/** The error for an answer that a hub of this network does not give. */
export const invalidAnswer = (message: string, hint?: string): HubError =>
  new HubError('invalid_answer', 'hub_answer', message, hint === undefined ? {} : { hint })
