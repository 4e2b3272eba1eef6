import { eachOf } from '../harness/time.ts'
import { requireNoLetters } from '../network/faulty-hub.ts'
import { checkMoney } from './check-money.ts'
import { checkOwners } from './check-owners.ts'
import { checkSlashes } from './check-slashes.ts'
import { checkVault } from './check-vaults.ts'
import { type Counts, noCounts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioProject } from './records.ts'

const atOnce = 8

/**
 * Compares hub and chain with each other and with the plans, once nothing moves.
 *
 * @throws A `Difference` for the first thing that is not as planned.
 */
export async function checkNetwork(
  network: ChaosNetwork,
  projects: readonly ScenarioProject[],
): Promise<Counts> {
  const counts = noCounts()
  await eachOf(projects, atOnce, async (project) => {
    await checkVault(network, project, counts)
    await checkSlashes(network, project, counts)
  })
  await checkMoney(network, projects, counts)
  await checkOwners(network, projects)
  await requireNoLetters(network)
  return counts
}
