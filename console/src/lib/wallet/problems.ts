/** The problems that keep a wallet from signing or the hub from accepting an action; the kind decides which step helps. */
import {
  AnswerError,
  HubError,
  Refusal,
  RefusedToSign,
  UnreachableError,
  WrongClock,
} from '../../../../sdk/errors.ts'
import { isSettled } from '../uncertain.ts'

export type ProblemKind =
  | 'refused'
  | 'missing'
  | 'other_account'
  | 'wrong_chain'
  | 'wallet'
  | 'reverted'
  | 'replaced'
  | 'unseen'
  | 'unsure'
  | 'fails_now'
  | 'differs'
  | 'clock'
  | 'limited'
  | 'away'
  | 'ended'
  | 'other_session'
  | 'lost'
  | 'other'

/** A wallet does not do what it was asked. */
export class WalletProblem extends Error {
  readonly kind: ProblemKind
  constructor(kind: ProblemKind, message = kind as string) {
    super(message)
    this.kind = kind
  }
}

export interface Problem {
  readonly kind: ProblemKind
  readonly error: Error
  /** When another try is worth it; milliseconds. */
  readonly againMs: number | null
}

export function problemOf(thrown: unknown): Problem {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const kind = kindOf(error)
  const retryAfter = error instanceof Refusal || error instanceof AnswerError ? error.retryAfter : undefined
  return { kind, error, againMs: kind === 'limited' ? Date.now() + 1_000 * (retryAfter ?? 5) : null }
}

function kindOf(error: Error): ProblemKind {
  if (error instanceof WalletProblem) return error.kind
  if (error instanceof WrongClock) return 'clock'
  if (error instanceof RefusedToSign) return error.message.includes('would fail') ? 'fails_now' : 'differs'
  if (error instanceof UnreachableError) return 'away'
  if (!(error instanceof Refusal || error instanceof AnswerError)) return 'other'
  if (error.status === 429) return 'limited'
  if (error.status >= 500) return 'away'
  return error.status === 401 ? 'ended' : 'other'
}

/** Whether the hub certainly did not accept the call. Any other error leaves that open. */
export const isRefused = (thrown: unknown): boolean =>
  // The hub refused it, and nobody has signed in again to send it once more.
  (thrown instanceof HubError && thrown.code === 'session_expired') ||
  (thrown instanceof Refusal && isSettled(thrown))

/** Codes of EIP-1193 and EIP-3085, where a wallet says more than that it failed. */
const refusedCode = 4001
const unauthorizedCode = 4100
const unknownChainCode = 4902

/** Providers throw an object with a code, which is often no Error. */
export function walletProblemOf(thrown: unknown): WalletProblem {
  if (thrown instanceof WalletProblem) return thrown
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown }
  const kind = isRejected(thrown) ? 'refused' : code === unauthorizedCode ? 'other_account' : 'wallet'
  return new WalletProblem(kind, typeof message === 'string' ? message : String(thrown))
}

type Said = Readonly<Record<string, unknown>>

/** Wallets say something by the code of the standard, also within an error of their own. */
function says(thrown: unknown, holds: (said: Said) => boolean, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 3) return false
  const said = thrown as Said
  const inner = (said.data as { originalError?: unknown } | null | undefined)?.originalError
  return holds(said) || says(said.cause, holds, depth + 1) || says(inner, holds, depth + 1)
}

/** Some wallets say it in words alone. */
const isRejected = (thrown: unknown): boolean =>
  says(
    thrown,
    ({ code, message }) =>
      code === refusedCode ||
      code === 'ACTION_REJECTED' ||
      (typeof message === 'string' &&
        /\b(?:user|request)\b.{0,20}\b(?:rejected|denied|cancell?ed)\b/i.test(message)),
  )

export const isUnknownChain = (thrown: unknown): boolean =>
  says(thrown, ({ code }) => code === unknownChainCode)
