import type { RelayResult } from '../../durable-objects/relayer.ts'
import { ApiError, type ErrorCode, unavailable } from '../errors.ts'

type Refused = Exclude<RelayResult, { status: 'accepted' }>

/** Errors of contracts that the API has a code for; any other means that the chain's state does not allow the action. */
const codes: Record<string, ErrorCode> = {
  ERC20InsufficientBalance: 'insufficient_collateral',
  ERC20InsufficientAllowance: 'insufficient_collateral',
  ERC2612ExpiredSignature: 'bad_signature',
  ERC2612InvalidSigner: 'bad_signature',
  SignatureExpired: 'bad_signature',
  DeadlineTooFar: 'bad_signature',
  InvalidSignature: 'bad_signature',
  InvalidAccountNonce: 'conflict',
}

/** What a client is told when its action was not taken. Nothing was sent and nothing is owed. */
export function refusalError(result: Refused): ApiError {
  switch (result.status) {
    case 'busy':
      return new ApiError(
        'conflict',
        `Another action of this wallet on the same contract is on its way: ${result.id}. Wait for it.`,
        { details: { transaction_id: result.id }, headers: { 'Retry-After': '2' } },
      )
    case 'refused': {
      const code = codes[result.name ?? ''] ?? 'invalid_state'
      // A signed document, not a credential.
      return new ApiError(code, `The contract refuses this: ${result.reason}.`, {
        ...(code === 'bad_signature' && { status: 422 }),
        details: { reason: result.name ?? 'reverted' },
      })
    }
    case 'unavailable':
      return unavailable(`The relay (${result.part})`)
  }
}
