import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../contracts/anvil.ts'
import type { Grant } from '../contracts/deploy-options.ts'

/** Who is who among the accounts that anvil funds. Everybody has their keys. */
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

export const accounts = Object.fromEntries(
  Object.entries(privateKeys).map(([name, key]) => [name, privateKeyToAccount(key)]),
) as Record<keyof typeof privateKeys, PrivateKeyAccount>

const tokens = (amount: bigint): bigint => amount * 10n ** 18n

/** More than drips of a day can take, for years. */
export const faucetSupplyWei = tokens(1_000_000_000n)

/** So that everything can be tried at once, without waiting for the faucet. */
export const grants: readonly Grant[] = (['operator', 'developer', 'miner', 'treasury'] as const).map(
  (name) => ({ to: accounts[name].address, amountWei: tokens(100_000n) }),
)
