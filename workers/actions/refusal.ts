import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayRequest, RelayResult } from '../../durable-objects/relayer/object.ts'
import type { ErrorCode } from '../../protocol/errors.ts'
import { ApiError, unavailable } from '../errors.ts'

type Refused = Exclude<RelayResult, { status: 'accepted' }>

/** Errors of contracts that the API has a code for; any other means that the chain's state does not allow the action. */
const codes: Record<string, ErrorCode> = {
  ERC20InsufficientAllowance: 'insufficient_collateral',
  ERC2612ExpiredSignature: 'bad_signature',
  SignatureExpired: 'bad_signature',
  DeadlineTooFar: 'bad_signature',
  InvalidSignature: 'bad_signature',
}

/** What a client is told when its action was not accepted. Nothing was sent and nothing is owed. */
export function refusalError(result: Refused, request: Pick<RelayRequest, 'action' | 'perDay'>): ApiError {
  switch (result.status) {
    case 'busy':
      return new ApiError(
        'conflict',
        `Another action of this wallet on the same contract is pending: ${result.id}. Wait for it.`,
        { details: { transaction_id: result.id }, headers: { 'Retry-After': '2' } },
      )
    case 'refused':
      return contractRefusal(result)
    case 'exhausted':
      return allowanceError(result, request)
    case 'unavailable':
      return unavailable(`The relay (${result.part})`)
  }
}

/** The hub pays for so much in a day; what it does not pay for, the owner may send itself. */
function allowanceError(
  { of, renewsAt }: Extract<Refused, { status: 'exhausted' }>,
  { action, perDay }: Pick<RelayRequest, 'action' | 'perDay'>,
): ApiError {
  const time = new Date(renewsAt * 1000).toISOString().replace('.000Z', 'Z')
  const error = (code: ErrorCode, what: string, details: { reason: string; [name: string]: unknown }) =>
    new ApiError(
      code,
      `${what} Try again after ${time}, or send the transaction of \`direct_tx\` yourself.`,
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
function contractRefusal({ name, args, reason }: Extract<Refused, { status: 'refused' }>): ApiError {
  const fresh = 'Ask for a fresh payload and sign that.'
  switch (name) {
    case 'InvalidAccountNonce': {
      const details = { reason: 'nonce', current_nonce: args[1] }
      return new ApiError('conflict', `A signed nonce is not the account's current one. ${fresh}`, {
        details,
      })
    }
    // The hub has checked the permit's signature itself, so this says that the token expects another nonce.
    case 'ERC2612InvalidSigner': {
      const message = `The permit's nonce is not the account's current one in the token. ${fresh}`
      return new ApiError('conflict', message, { details: { reason: 'permit_nonce' } })
    }
    case 'ERC20InsufficientBalance': {
      const message = `The wallet holds ${args[1]} of the ${args[2]} it bonds.`
      return new ApiError('insufficient_collateral', message, {
        details: { balance: args[1], amount: args[2] },
      })
    }
    case 'BelowMinimum': {
      const details = { reason: 'bond_minimum', collateral: args[1], minimum: args[2] }
      const message = `A subscription needs at least ${args[2]} of collateral; with this bond it has ${args[1]}.`
      return new ApiError('insufficient_collateral', message, { details })
    }
    case 'TooMuchGas': {
      const details = { reason: 'relay_gas_limit', gas: Number(args[0]), gas_max: Number(args[1]) }
      const message = `This takes ${args[0]} gas, and the hub pays for ${args[1]}. Send the transaction of \`direct_tx\` yourself.`
      return new ApiError('invalid_state', message, { details })
    }
    default: {
      const code = codes[name ?? ''] ?? 'invalid_state'
      return new ApiError(code, `The contract refuses this: ${reason}.`, {
        // A signed document, not a credential.
        ...(code === 'bad_signature' && { status: 422 }),
        details: { reason: name ?? 'reverted' },
      })
    }
  }
}
