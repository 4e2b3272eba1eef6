import type { Address } from 'viem'
import { anvilKeys } from '../protocol/identity/index.ts'
import { evmAddress } from '../protocol/signatures/index.ts'

/** Which of the accounts are anvil's: their keys are published, so on a public chain everybody signs for them. */
export function findPublished(accounts: readonly Address[]): Address[] {
  const published = new Set<string>(anvilKeys.map(evmAddress))
  return accounts.filter((account) => published.has(account.toLowerCase()))
}
