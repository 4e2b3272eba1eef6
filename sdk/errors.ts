import type { Schemas } from './operations.ts'

/** The code of an error that a hub answers. */
export type ErrorCode = Schemas['Error']['error']

/** Ids of work that the hub has begun, or may have begun. A retry with them acts only once. */
export interface Begun {
  /** Task of `tasks.run` and `tasks.wait`. */
  taskId?: string | undefined
  /** Transaction of an owner's action. */
  transactionId?: string | undefined
  /** Idempotency key of a call that had one. */
  idempotencyKey?: string | undefined
}

/** Everything that this library throws, except the reason of an aborted `signal`. */
export class HubError extends Error implements Begun {
  override readonly name: string = 'HubError'
  /** Stable, unlike the message. */
  readonly code: string = 'failed'
  declare taskId?: string
  declare transactionId?: string
  declare idempotencyKey?: string
}

/** The hub cannot be reached, or the connection broke before the answer was complete. */
export class UnreachableError extends HubError {
  override readonly code = 'unreachable'
}

/** The server that answered does not speak the API of a hub. */
export class AnswerError extends HubError {
  override readonly code = 'bad_answer'
  readonly status: number
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(message: string, status: number, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** The time of a call is up. Work that the hub began goes on. */
export class DeadlineError extends HubError {
  override readonly code = 'deadline'
}

/** A task that has no result, or whose function failed. */
export class TaskFailed extends HubError {
  override readonly code = 'task_failed'
  readonly task: Schemas['Task']

  constructor(task: Schemas['Task']) {
    super(
      `The ${task.status === 'failed' ? 'task' : 'function'} failed: ${task.error ?? task.output ?? 'it gave no reason'}.`,
    )
    this.task = task
  }
}

/** The client refused to let the wallet sign. Nothing was signed; only if it has a `transactionId`, an action was signed before. */
export class RefusedToSign extends HubError {
  override readonly code = 'refused_to_sign'
}

/** A wallet was not asked to sign in, because the clocks of this machine and of the hub differ too much. */
export class WrongClock extends RefusedToSign {
  /** Seconds by which this machine is behind the hub; negative if it is ahead. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** The chain did not take an action. */
export class ActionFailed extends HubError {
  override readonly code = 'action_failed'
  readonly transaction: Schemas['Transaction']

  constructor(transaction: Schemas['Transaction']) {
    super(`${transaction.action} ${transaction.status}: ${transaction.error}`)
    this.transaction = transaction
  }
}

/** A part of a request that breaks a rule. */
export interface FieldProblem {
  /** Dotted, as in `listing.tags[0]`. */
  readonly path: string
  readonly code: string
  readonly message: string
}

/** The parts of a hub's answer that a {@link Refusal} is made from. */
export interface RefusedAnswer {
  readonly operation: string
  readonly status: number
  readonly body: Schemas['Error']
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** A hub refused a call, or could not answer it. There is a class for each code. */
export class Refusal extends HubError {
  override readonly code: ErrorCode
  readonly status: number
  /** The first of {@link problems}, in one path. */
  readonly field: string | undefined
  readonly problems: readonly FieldProblem[]
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string
  /** The page about the code. */
  readonly docUrl: string | undefined
  /** Seconds after which another try is worth it. */
  readonly retryAfter: number | undefined

  constructor({ operation, status, body, retryAfter }: RefusedAnswer) {
    super(`${operation} answered ${status} ${body.error}: ${body.message}`)
    const details = body.details ?? {}
    this.code = body.error
    this.status = status
    this.problems = Array.isArray(details.problems) ? details.problems : []
    this.field = this.problems[0]?.path
    this.details = details
    this.requestId = body.request_id
    this.docUrl = typeof details.doc_url === 'string' ? details.doc_url : undefined
    this.retryAfter = retryAfter
  }
}

export class BadRequest extends Refusal {}
export class InvalidField extends Refusal {}
export class Unauthorized extends Refusal {}
export class SessionExpired extends Refusal {}
export class BadSignature extends Refusal {}
export class Forbidden extends Refusal {}
export class NotOwner extends Refusal {}
export class NotEnrolled extends Refusal {}
export class NotVerified extends Refusal {}
export class ScopeMissing extends Refusal {}
export class NotFound extends Refusal {}
export class Conflict extends Refusal {}
export class Duplicate extends Refusal {}
export class AlreadyExists extends Refusal {}
export class InvalidState extends Refusal {}
export class TooLarge extends Refusal {}
export class InvalidManifest extends Refusal {}
export class InvalidBinding extends Refusal {}
export class InvalidEvidence extends Refusal {}
export class Incompatible extends Refusal {}
export class InsufficientCollateral extends Refusal {}
export class RateLimited extends Refusal {}
export class InternalError extends Refusal {}
export class Unavailable extends Refusal {}
export class NoValidators extends Refusal {}
export class FaucetEmpty extends Refusal {}

const classes: Record<ErrorCode, new (answer: RefusedAnswer) => Refusal> = {
  bad_request: BadRequest,
  invalid_field: InvalidField,
  unauthorized: Unauthorized,
  session_expired: SessionExpired,
  bad_signature: BadSignature,
  forbidden: Forbidden,
  not_owner: NotOwner,
  not_enrolled: NotEnrolled,
  not_verified: NotVerified,
  scope_missing: ScopeMissing,
  not_found: NotFound,
  conflict: Conflict,
  duplicate: Duplicate,
  already_exists: AlreadyExists,
  invalid_state: InvalidState,
  too_large: TooLarge,
  invalid_manifest: InvalidManifest,
  invalid_binding: InvalidBinding,
  invalid_evidence: InvalidEvidence,
  incompatible: Incompatible,
  insufficient_collateral: InsufficientCollateral,
  rate_limited: RateLimited,
  internal: InternalError,
  unavailable: Unavailable,
  no_validators: NoValidators,
  faucet_empty: FaucetEmpty,
}

/** The error of an answer. A newer hub may have codes that are not known here. */
export function refusalOf(answer: RefusedAnswer): Refusal {
  const { error } = answer.body
  return new (Object.hasOwn(classes, error) ? classes[error] : Refusal)(answer)
}
