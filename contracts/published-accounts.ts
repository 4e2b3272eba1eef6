import type { Address } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from './anvil.ts'

/** Chains on somebody's own machine, by the ids that anvil, hardhat and geth's developer mode give them. */
const localChainIds: readonly number[] = [31_337, 1_337]

/** Whether a chain is one that no stranger uses, where keys that everybody has do no harm. */
export const isLocalChain = (chainId: number): boolean => localChainIds.includes(chainId)

/** Which of the accounts are anvil's: their keys are published, so on a public chain everybody signs for them. */
export function findPublished(accounts: readonly Address[]): Address[] {
  const published = new Set(anvilKeys.map((key) => privateKeyToAddress(key).toLowerCase()))
  return accounts.filter((account) => published.has(account.toLowerCase()))
}
