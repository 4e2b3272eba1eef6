import * as z from 'zod'
import { unavailable } from '../errors.ts'
import { Address } from '../http/formats.ts'

export const Contracts = z.strictObject({
  token: Address,
  faucet: Address,
  project_registry: Address,
  vault_factory: Address,
  vault_implementation: Address,
  staking: Address,
  treasury: Address,
})
export type Contracts = z.output<typeof Contracts>

export const contractNames = Object.keys(Contracts.shape) as (keyof Contracts)[]

interface WithSettings {
  var: { settings: { CHAIN_CONTRACTS?: Contracts | undefined } }
}

/** The addresses of this network's contracts. Throws 503 `unavailable` while the hub has none. */
export function requireContracts({ var: { settings } }: WithSettings): Contracts {
  if (settings.CHAIN_CONTRACTS === undefined) throw unavailable('The chain')
  return settings.CHAIN_CONTRACTS
}
