/**
 * The error codes of the hub and of nodes (section 25), with their usual HTTP status and their meaning. `bad_signature` is
 * 401 for a credential and 422 for a signed document, `bad_request` is also 405 and 426, and `invalid_state` is 425 for what
 * is too early: a set that is not attested yet, or the receipt of an epoch whose rounds are open.
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
  not_found: { status: 404, title: 'The resource does not exist' },
  conflict: { status: 409, title: 'Conflicts with another request or state' },
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
  internal: { status: 500, title: 'An internal error of the hub' },
  unavailable: { status: 503, title: 'A part of the network is temporarily unavailable' },
  no_validators: { status: 503, title: 'No validator is registered' },
  faucet_empty: { status: 503, title: 'The faucet is empty' },
} as const satisfies Record<string, { status: number; title: string }>

/** A code of the `error` member of an answer. */
export type ErrorCode = keyof typeof errorCodes

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
