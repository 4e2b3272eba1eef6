import {
  type Action,
  actions,
  buildGaslessPayload,
  domainOf,
  type GaslessPayload,
} from '../../protocol/actions/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { requireContracts } from '../chain/contracts.ts'
import type { HubContext } from '../context.ts'
import { readNonce } from './account-state.ts'
import { type DirectTransaction, directTransaction } from './direct-transaction.ts'

/** An action of an account, before or beside its signature. */
export interface RequestedAction {
  action: Action
  /** Who signs it: the first member of the struct. */
  account: string
  /** The members that path, account and stored records fix, without nonce and deadline. */
  message: TypedMessage
}

/** What the account signs; `message` lacks nonce and deadline. @throws {@link ApiError} 503 `unavailable` while the chain does not answer. */
export async function preparePayload(
  c: HubContext,
  { action, account, message }: RequestedAction,
): Promise<GaslessPayload & { direct_tx: DirectTransaction }> {
  const contracts = requireContracts(c)
  const profile = c.var.settings.PROFILE
  const { verifyingContract } = domainOf(profile, contracts, actions[action])
  const [now, nonce, permitNonce] = await Promise.all([
    c.var.services.clock.now(),
    readNonce(c, verifyingContract, account),
    action === 'bond' ? readNonce(c, contracts.token, account) : 0n,
  ])
  return {
    ...buildGaslessPayload(profile, contracts, { action, message, nonce, permitNonce, now }),
    direct_tx: directTransaction(c, action, message),
  }
}
