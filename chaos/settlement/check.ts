import { expectSame } from '../harness/difference.ts'
import { eachOf } from '../harness/time.ts'
import { checkMoney } from './check-money.ts'
import { checkOwners } from './check-owners.ts'
import { checkSlashes } from './check-slashes.ts'
import { checkVault } from './check-vaults.ts'
import { type Counts, noCounts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioProject } from './records.ts'

/** Projects whose records are read at a time. */
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
  await checkLetters(network)
  return counts
}

/** Nothing was given up, and nobody has to look at anything. */
async function checkLetters({ rows }: ChaosNetwork): Promise<void> {
  const letters = await rows('SELECT * FROM dead_letters WHERE resolved_at IS NULL')
  expectSame('dead letters', letters, [])
}
