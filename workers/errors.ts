import type { ContentfulStatusCode } from 'hono/utils/http-status'

/**
 * Every error code the API answers, with its usual HTTP status and its meaning. `bad_signature` is 401 for a
 * credential and 422 for a signed document; the thrower of the second names the status.
 */
export const errorCodes = {
  bad_request: { status: 400, title: 'The request cannot be read' },
  invalid_field: { status: 400, title: 'A field, parameter or header is wrong' },
  unauthorized: { status: 401, title: 'The credential is missing, unknown or revoked' },
  session_expired: { status: 401, title: 'The session has expired' },
  bad_signature: { status: 401, title: 'A signature does not verify' },
  forbidden: { status: 403, title: 'This caller may not do this' },
  not_owner: { status: 403, title: 'The caller does not own this' },
  not_enrolled: { status: 403, title: 'The caller has no active enrollment' },
  not_verified: { status: 403, title: 'The developer is not verified' },
  scope_missing: { status: 403, title: 'The API key lacks a scope' },
  not_found: { status: 404, title: 'Nothing is there' },
  conflict: { status: 409, title: 'Another request or state is in the way' },
  duplicate: { status: 409, title: 'This was submitted before' },
  already_exists: { status: 409, title: 'This exists already' },
  invalid_state: { status: 409, title: 'The present state does not allow this' },
  too_large: { status: 413, title: 'The body or a part of it is too large' },
  invalid_manifest: { status: 422, title: 'The manifest breaks a rule' },
  invalid_binding: { status: 422, title: 'The device record breaks a rule' },
  invalid_evidence: { status: 422, title: 'The evidence does not prove the offence' },
  incompatible: { status: 422, title: 'The device does not meet the requirements' },
  insufficient_collateral: { status: 422, title: 'The collateral is too low' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'A fault of the hub itself' },
  unavailable: { status: 503, title: 'A part of the network is not reachable for the moment' },
  no_validators: { status: 503, title: 'No validator is registered' },
  faucet_empty: { status: 503, title: 'The faucet is empty' },
} as const satisfies Record<string, { status: ContentfulStatusCode; title: string }>

export type ErrorCode = keyof typeof errorCodes

/** One thing wrong with a request; all of them are reported at once under `details.problems`. */
export interface Problem {
  path: string
  code: string
  message: string
}

/** What a handler throws to answer with the error envelope. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: ContentfulStatusCode
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown>
      headers?: Record<string, string>
      status?: ContentfulStatusCode
    } = {},
  ) {
    super(message)
    this.code = code
    this.status = options.status ?? errorCodes[code].status
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** 400 `invalid_field` for one field. */
export const invalidField = (path: string, message: string, code = 'invalid_value'): ApiError =>
  invalidFields([{ path, code, message }])

/** 400 `invalid_field` with every problem at once. */
export const invalidFields = (problems: Problem[]): ApiError => {
  const first = problems[0]
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError('invalid_field', `${first?.path || 'body'}: ${first?.message}${more}`, {
    details: { problems },
  })
}

/** After how long a dependency that failed may be worth another try. */
export const retrySeconds = 2

/** 503 `unavailable` for a dependency that failed or timed out. */
export const unavailable = (what: string, cause?: unknown): ApiError => {
  const error = new ApiError('unavailable', `${what} is not available at the moment. Try again shortly.`, {
    headers: { 'Retry-After': String(retrySeconds) },
  })
  error.cause = cause
  return error
}

/** The envelope every error is answered with. */
export const errorBody = (error: ApiError, requestId: string) => ({
  error: error.code,
  message: error.message,
  ...(error.details && { details: error.details }),
  request_id: requestId,
})
