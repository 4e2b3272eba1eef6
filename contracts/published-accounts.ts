import type { Address } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../protocol/identity/index.ts'

/** Which of the accounts are anvil's: their keys are published, so on a public chain everybody signs for them. */
export function findPublished(accounts: readonly Address[]): Address[] {
  const published = new Set(anvilKeys.map((key) => privateKeyToAddress(key).toLowerCase()))
  return accounts.filter((account) => published.has(account.toLowerCase()))
}
