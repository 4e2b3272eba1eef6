import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayRequest, RelayResult } from '../../durable-objects/relayer/object.ts'
import type { ErrorCode } from '../../protocol/errors.ts'
import { ApiError, unavailable } from '../errors.ts'
import { type AmountToken, refusalText, timeText } from './contract-errors.ts'

type Refused = Extract<RelayResult, { status: 'refused' }>
type NotTaken = Exclude<RelayResult, { status: 'accepted' | 'refused' }>

/** Errors of contracts that the API has a code for; any other means that the chain's state does not allow the action. */
const codes: Record<string, ErrorCode> = {
  ERC20InsufficientAllowance: 'insufficient_collateral',
  ERC2612ExpiredSignature: 'bad_signature',
  SignatureExpired: 'bad_signature',
  DeadlineTooFar: 'bad_signature',
  InvalidSignature: 'bad_signature',
}

/** The error for an action that the relayer did not take. Nothing was sent and nothing is owed. */
export function refusalError(result: NotTaken, request: Pick<RelayRequest, 'action' | 'perDay'>): ApiError {
  switch (result.status) {
    case 'busy':
      return new ApiError(
        'conflict',
        `Another action of this wallet on the same contract is pending: ${result.id}. Wait for it.`,
        { details: { transaction_id: result.id }, headers: { 'Retry-After': '2' } },
      )
    case 'exhausted':
      return allowanceError(result, request)
    case 'unavailable':
      return unavailable(`The relayer (${result.part})`)
  }
}

/** The hub pays for a limited number of actions, and for limited gas, in a day. The owner may send further actions itself. */
function allowanceError(
  { of, renewsAt }: Extract<NotTaken, { status: 'exhausted' }>,
  { action, perDay }: Pick<RelayRequest, 'action' | 'perDay'>,
): ApiError {
  const error = (code: ErrorCode, what: string, details: { reason: string; [name: string]: unknown }) =>
    new ApiError(
      code,
      `${what} Try again after ${timeText(renewsAt)}, or send the transaction of \`direct_tx\` yourself.`,
      {
        headers: { 'Retry-After': String(Math.max(1, renewsAt - unixNow())) },
        details: { ...details, renews_at: renewsAt },
      },
    )
  switch (of) {
    case 'owner': {
      const details = { reason: 'relay_allowance', action, per_day: perDay }
      return error('rate_limited', `The hub relays ${perDay} ${action} of a wallet in a day.`, details)
    }
    case 'owner_gas':
      return error('rate_limited', 'The daily relay allowance of this wallet is used up.', {
        reason: 'relay_wallet_gas',
      })
    case 'everyone':
      return error('unavailable', 'The daily relay allowance of the hub is used up.', { reason: 'relay_gas' })
  }
}

/** Everything said here is what the contract said, so it holds for the moment the action was tried in. */
export function contractRefusal({ name, args, reason }: Refused, token: AmountToken): ApiError {
  const message = refusalText({ name, args, text: reason }, token)
  const error = (code: ErrorCode, details: Record<string, unknown>) =>
    new ApiError(code, message, { details })
  switch (name) {
    case 'InvalidAccountNonce':
      return error('conflict', { reason: 'nonce', current_nonce: args[1] })
    case 'ERC2612InvalidSigner':
      return error('conflict', { reason: 'permit_nonce' })
    case 'ERC20InsufficientBalance':
      return error('insufficient_collateral', { balance: args[1], amount: args[2] })
    case 'BelowMinimum': {
      const details = { reason: 'bond_minimum', collateral: args[1], minimum: args[2] }
      return error('insufficient_collateral', details)
    }
    case 'TooMuchGas': {
      const details = { reason: 'relay_gas_limit', gas: Number(args[0]), gas_max: Number(args[1]) }
      return error('invalid_state', details)
    }
    default: {
      const code = codes[name ?? ''] ?? 'invalid_state'
      return new ApiError(code, message, {
        // A signed document, not a credential.
        ...(code === 'bad_signature' && { status: 422 }),
        details: { reason: name ?? 'reverted' },
      })
    }
  }
}
