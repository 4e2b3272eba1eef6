import type { Action } from '../../protocol/actions/index.ts'

/**
 * Actions of each kind that a wallet may have relayed in a day, which begins at 00:00 UTC. Who runs a hundred devices bonds
 * a hundred times; nobody needs to change where rewards go that often.
 */
export const defaultAllowances: Readonly<Record<Action, number>> = {
  register_project: 20,
  publish_version: 20,
  bond: 100,
  set_payout: 10,
  unbond: 100,
  withdraw: 100,
}
