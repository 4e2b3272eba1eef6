/**
 * The error codes of the hub and of nodes (section 25) with their usual HTTP status. `bad_signature` is 401 for a
 * credential and 422 for a signed document, `invalid_state` is 425 for a set that is not attested yet, and `bad_request`
 * is also 405 and 426.
 */
export const errorStatus = {
  bad_request: 400,
  invalid_field: 400,
  unauthorized: 401,
  session_expired: 401,
  bad_signature: 401,
  forbidden: 403,
  not_owner: 403,
  not_enrolled: 403,
  not_verified: 403,
  scope_missing: 403,
  not_found: 404,
  conflict: 409,
  duplicate: 409,
  already_exists: 409,
  invalid_state: 409,
  too_large: 413,
  invalid_manifest: 422,
  invalid_binding: 422,
  invalid_evidence: 422,
  incompatible: 422,
  insufficient_collateral: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  no_validators: 503,
  faucet_empty: 503,
} as const

/** A code of the `error` member of an answer. */
export type ErrorCode = keyof typeof errorStatus

/** The body of every error answer. */
export interface ErrorEnvelope {
  readonly error: ErrorCode
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly request_id: string
}

/** How a code of a document's own section travels: as `details.reason` of another code, with this status. */
export const wireErrors = {
  stale_binding: { error: 'invalid_binding', status: 422 },
  invalid_snapshot: { error: 'invalid_evidence', status: 422 },
  invalid_task: { error: 'invalid_evidence', status: 422 },
  invalid_vote: { error: 'invalid_evidence', status: 422 },
  not_attested: { error: 'invalid_state', status: 425 },
  duplicate_key: { error: 'bad_request', status: 400 },
  float: { error: 'bad_request', status: 400 },
  unsafe_integer: { error: 'bad_request', status: 400 },
  invalid_string: { error: 'bad_request', status: 400 },
  invalid_json: { error: 'bad_request', status: 400 },
} as const satisfies Record<string, { error: ErrorCode; status: number }>
