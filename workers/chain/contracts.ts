import type { HubContext } from '../context.ts'
import type { Contracts } from '../env.ts'
import { unavailable } from '../errors.ts'

/** The addresses of this network's contracts. Throws 503 `unavailable` while the hub has none. */
export function requireContracts(c: HubContext): Contracts {
  const contracts = c.var.settings.CHAIN_CONTRACTS
  if (contracts === undefined) throw unavailable('The chain')
  return contracts
}
