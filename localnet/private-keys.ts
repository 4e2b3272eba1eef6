import { anvilKeys } from '../protocol/identity/index.ts'

/** The roles of the accounts that anvil funds. Their keys are public. */
export const privateKeys = {
  /** Deploys the contracts, sends what the hub relays, and has the roles that the hub acts by. */
  relayer: anvilKeys[0]!,
  operator: anvilKeys[1]!,
  developer: anvilKeys[2]!,
  miner: anvilKeys[3]!,
  /** Receives the network's fees and slashed collateral. */
  treasury: anvilKeys[4]!,
  /** Decides about disputes, vetoes epochs and pauses; the hub has its key. */
  arbiter: anvilKeys[5]!,
  /** Gives and takes roles, after a delay. */
  admin: anvilKeys[6]!,
}
