import { type Problem, problemsMax } from '../../../../protocol/encoding/index.ts'
import { type ErrorCode, type ErrorEnvelope, errorCodes } from '../../../../protocol/errors.ts'

/** The error that a route throws to answer with the error envelope. The codes are those of the hub. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    options: Partial<Pick<ApiError, 'cause' | 'details' | 'headers' | 'status'>> = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? errorCodes[code].status
    this.details = options.details
    this.headers = options.headers ?? {}
  }

  envelope(requestId: string): ErrorEnvelope {
    return {
      error: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
      request_id: requestId,
    }
  }
}

export const invalidField = (path: string, message: string, code = 'invalid_value'): ApiError =>
  invalidFields([{ path, code, message }])

/** 400 `invalid_field` with every problem at once. */
export function invalidFields(found: readonly Problem[]): ApiError {
  const problems = found.slice(0, problemsMax)
  const first = problems[0]
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError('invalid_field', `${first?.path || 'body'}: ${first?.message}${more}`, {
    details: { problems },
  })
}

/** 503 `unavailable`: the same request may be answered later. */
export const unavailable = (message: string, retrySeconds: number): ApiError =>
  new ApiError('unavailable', message, { headers: { 'Retry-After': String(retrySeconds) } })
