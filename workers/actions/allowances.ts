import { type Action, actionNames } from '../../protocol/actions/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'

/** The calls that the hub relays for wallets: signed actions, and claims, which need no signature. */
export type RelayedAction = Action | 'claim_payouts'

export const relayedActions: readonly RelayedAction[] = [...actionNames, 'claim_payouts']

/**
 * Actions of each kind that a wallet may have relayed in a UTC day. The owner of a hundred devices bonds a hundred times; a claim of a
 * hundred payouts takes the gas of forty other actions.
 */
export const defaultAllowances: Readonly<Record<RelayedAction, number>> = {
  register_project: 20,
  publish_version: 20,
  bond: 100,
  // Each of up to 200 subscriptions; the gas of the wallet's day bounds them too.
  bond_batch: 20,
  set_payout: 10,
  unbond: 100,
  withdraw: 100,
  claim_payouts: 20,
}

/** More than most contract wallets take to check a signature, those with keys of other curves included. */
const walletCheckGas = 500_000

/**
 * Gas that a call of each kind may take in its trial run: what the contracts take (`contracts/gas.md`), and the check of one signature by a
 * contract wallet, whose code is its owner's. The token takes permits of keys only.
 */
export const relayedGasMax: Readonly<Record<RelayedAction, number>> = {
  register_project: 150_000 + walletCheckGas,
  publish_version: 100_000 + walletCheckGas,
  bond: 250_000 + walletCheckGas,
  bond_batch: 250_000 + walletCheckGas,
  set_payout: 100_000 + walletCheckGas,
  unbond: 100_000 + walletCheckGas,
  withdraw: 150_000 + walletCheckGas,
  // A hundred payouts, each the first of its miner.
  claim_payouts: 8_000_000,
}

/** Each further item of a batch: its storage is new, and its event and call data come with it. */
const batchItemGas = 55_000

/** The gas that an action may take, which grows with the items of a batch. */
export const gasMaxOf = (action: RelayedAction, { amounts }: TypedMessage): number =>
  relayedGasMax[action] + (Array.isArray(amounts) ? amounts.length - 1 : 0) * batchItemGas
