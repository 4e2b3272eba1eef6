import { type Action, actionNames } from '../../protocol/actions/index.ts'

/** What the hub relays for wallets: what they sign, and claims, which need no signature. */
export type RelayedAction = Action | 'claim_payouts'

export const relayedActions: readonly RelayedAction[] = [...actionNames, 'claim_payouts']

/**
 * Actions of each kind that a wallet may have relayed in a day, which begins at 00:00 UTC. Who runs a hundred devices bonds
 * a hundred times; nobody needs to change where rewards go that often. A claim of a hundred payouts takes the gas of
 * forty other actions.
 */
export const defaultAllowances: Readonly<Record<RelayedAction, number>> = {
  register_project: 20,
  publish_version: 20,
  bond: 100,
  set_payout: 10,
  unbond: 100,
  withdraw: 100,
  claim_payouts: 20,
}
