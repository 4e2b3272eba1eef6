import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../contracts/anvil.ts'
import type { Grant } from '../contracts/deploy-options.ts'

const at = (index: number): PrivateKeyAccount => privateKeyToAccount(anvilKeys[index]!)

/** Who is who among the accounts that anvil funds. Everybody has their keys. */
export const accounts = {
  /** Deploys the contracts, sends what the hub relays, and has the roles that the hub acts by. */
  relayer: at(0),
  operator: at(1),
  developer: at(2),
  miner: at(3),
  /** Receives the network's fees and slashed collateral. */
  treasury: at(4),
  /** Decides about disputes, vetoes epochs and pauses; the hub has its key. */
  arbiter: at(5),
  /** Gives and takes roles, after a delay. */
  admin: at(6),
}

export const privateKeys: Record<keyof typeof accounts, string> = {
  relayer: anvilKeys[0]!,
  operator: anvilKeys[1]!,
  developer: anvilKeys[2]!,
  miner: anvilKeys[3]!,
  treasury: anvilKeys[4]!,
  arbiter: anvilKeys[5]!,
  admin: anvilKeys[6]!,
}

const tokens = (amount: bigint): bigint => amount * 10n ** 18n

/** More than drips of a day can take, for years. */
export const faucetSupplyWei = tokens(1_000_000_000n)

/** So that everything can be tried at once, without waiting for the faucet. */
export const grants: readonly Grant[] = [
  { to: accounts.operator.address, amountWei: tokens(100_000n) },
  { to: accounts.developer.address, amountWei: tokens(100_000n) },
  { to: accounts.miner.address, amountWei: tokens(100_000n) },
  { to: accounts.treasury.address, amountWei: tokens(100_000n) },
]
