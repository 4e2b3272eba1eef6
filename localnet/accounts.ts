import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Grant } from '../contracts/deploy-options.ts'
import { privateKeys } from './private-keys.ts'

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
