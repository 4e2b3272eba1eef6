import type { Address } from 'viem'
import { anvilKeys } from '../protocol/identity/index.ts'
import { evmAddress } from '../protocol/signatures/index.ts'

/** Made with the first question: to derive an address takes a millisecond, and commands ask several times. */
let known: ReadonlySet<string> | undefined

/** Which of the accounts are anvil's: their keys are published, so on a public chain everybody signs for them. */
export function findPublished(accounts: readonly Address[]): Address[] {
  known ??= new Set(anvilKeys.map(evmAddress))
  const published = known
  return accounts.filter((account) => published.has(account.toLowerCase()))
}
