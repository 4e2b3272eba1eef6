import * as z from 'zod'
import { unavailable } from '../errors.ts'

const address = z.string().regex(/^0x[0-9a-f]{40}$/, 'must be 0x and 40 lower-case hex digits')

/** The addresses of the contracts of one deployment. */
export const Contracts = z.strictObject({
  token: address,
  faucet: address,
  project_registry: address,
  vault_factory: address,
  vault_implementation: address,
  staking: address,
  treasury: address,
})
export type Contracts = z.output<typeof Contracts>

interface WithSettings {
  var: { settings: { CHAIN_CONTRACTS?: Contracts | undefined } }
}

/** The addresses of this network's contracts. Throws 503 `unavailable` while the hub has none. */
export function requireContracts({ var: { settings } }: WithSettings): Contracts {
  if (settings.CHAIN_CONTRACTS === undefined) throw unavailable('The chain')
  return settings.CHAIN_CONTRACTS
}
