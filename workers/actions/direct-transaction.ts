import { type Action, actions, domainOf } from '../../protocol/actions/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { requireContracts } from '../chain/contracts.ts'
import type { HubContext } from '../context.ts'
import { encodeDirectCall } from './action-calls.ts'

/** A transaction the owner may send itself instead of having its signature relayed. */
export interface DirectTransaction {
  chain_id: number
  to: string
  data: string
  value: string
  description: string
}

const descriptions: Record<Action, string> = {
  register_project: 'Registers the project with its first version.',
  publish_version: 'Publishes the version of the project.',
  bond: 'Bonds collateral. Approve the staking contract for the amount in the token first.',
  bond_batch:
    'Bonds collateral of several subscriptions. Approve the staking contract for the sum in the token first.',
  set_payout: 'Sets the payout address of later rewards.',
  unbond: 'Starts the unbonding of the collateral.',
  withdraw: 'Pays the collateral back to its owner.',
}

/** The action as a transaction of its owner's, without nonce and deadline. @throws {@link ApiError} 503 `unavailable` without contracts. */
export function directTransaction(c: HubContext, action: Action, message: TypedMessage): DirectTransaction {
  const { PROFILE: profile } = c.var.settings
  return {
    chain_id: profile.chain_id,
    to: domainOf(profile, requireContracts(c), actions[action]).verifyingContract,
    data: encodeDirectCall(action, message),
    value: '0',
    description: descriptions[action],
  }
}
