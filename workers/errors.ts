import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Problem, problemsMax } from '../protocol/encoding/index.ts'
import { type ErrorCode, errorCodes } from '../protocol/errors.ts'

/** The error that a handler throws to answer with the error envelope. It has no stack: that costs more than most answers, and is never read. */
export class ApiError implements Error {
  readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly message: string
  readonly status: ContentfulStatusCode
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string>
  readonly cause: unknown

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown>
      headers?: Record<string, string>
      status?: ContentfulStatusCode
      cause?: unknown
    } = {},
  ) {
    this.code = code
    this.message = message
    this.status = options.status ?? errorCodes[code].status
    this.details = options.details
    this.headers = options.headers ?? {}
    this.cause = options.cause
  }
}
Object.setPrototypeOf(ApiError.prototype, Error.prototype)

/** Thrown where the settings of the hub are wrong; the message names each of them, and no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** Whether the request was refused: nothing was done. After any other error it is unknown what was. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500

export const invalidField = (path: string, message: string, code = 'invalid_value'): ApiError =>
  invalidFields([{ path, code, message }])

/** 400 `invalid_field` with every problem at once. */
export const invalidFields = (found: readonly Problem[]): ApiError => {
  const problems = found.slice(0, problemsMax)
  const first = problems[0]
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError('invalid_field', `${first?.path || 'body'}: ${first?.message}${more}`, {
    details: { problems },
  })
}

/** After how long a dependency that failed may be worth another try. */
export const retrySeconds = 2

/** 503 `unavailable` for a dependency that failed or timed out. */
export const unavailable = (what: string, cause?: unknown): ApiError =>
  new ApiError('unavailable', `${what} is not available at the moment. Try again shortly.`, {
    headers: { 'Retry-After': String(retrySeconds) },
    cause,
  })

/** The path of the page about a code. */
export const errorPage = (code: ErrorCode): string => `/docs/errors/${code}`

/** @param origin - The origin of the page about the code; null if it is unknown. */
export const errorBody = (
  { code, message, details }: ApiError,
  requestId: string,
  origin: string | null,
) => ({
  error: code,
  message,
  ...((details || origin !== null) && {
    details: { ...details, ...(origin !== null && { doc_url: origin + errorPage(code) }) },
  }),
  request_id: requestId,
})
