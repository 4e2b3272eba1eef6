import { Difference } from '../harness/difference.ts'
import type { Figures } from '../harness/figures.ts'
import { sumFaults } from '../harness/figures.ts'
import type { NetworkOptions, ScenarioKind, ScenarioNetwork } from '../harness/kind.ts'
import { checkNetwork } from './check.ts'
import type { Counts } from './counts.ts'
import { type ChaosNetwork, startChaosNetwork } from './network.ts'
import { fund } from './payments.ts'
import { makeProjects, type ScenarioProject } from './records.ts'
import { killedSteps, runTurn } from './turn.ts'

const hour = 3_600
const decisionSecs = 15 * 86_400
/** Scenarios of one network at once, each in a project of its own. */
const atOnce = 125

/** Pays epochs and takes slashes on a chain that fails, with a hub that is killed. */
export const settlement: ScenarioKind = {
  atOnce,
  perNetwork: 4 * atOnce,
  // Each keeps about one processor busy.
  networksAtOnce: 2,
  start,
}

async function start({ seeds, say }: NetworkOptions): Promise<ScenarioNetwork> {
  const network = await startChaosNetwork()
  try {
    const projects = await makeProjects(network, Math.min(atOnce, seeds.length))
    await network.pass(4 * hour)
    await network.settle()
    say(`${projects.length} projects are made`)
    let kills = 0
    const figures = (counts: Counts): Figures => ({
      kills,
      ...counts,
      faults: sumFaults(network.faulty.faults, network.proxy.faults),
    })
    return {
      async runTurn(here) {
        const killed = killedSteps(here)
        kills += killed.length
        const counts = await runTurn(network, projects, here, killed, say).catch((error: unknown) =>
          explain(network, error),
        )
        say(`seeds ${here[0]} to ${here.at(-1)}: all agree; kills of the hub: ${killed.length}`)
        return figures(counts)
      },
      finish: async () => figures(await endNetwork(network, projects)),
      stop: network.stop,
    }
  } catch (error) {
    await network.stop()
    throw error
  }
}

async function explain({ hub, rows }: ChaosNetwork, error: unknown): Promise<never> {
  if (!(error instanceof Difference)) throw error
  const { body } = await hub.call({ path: '/v1/status' })
  const open = await rows("SELECT * FROM hub_actions WHERE state = 'open' ORDER BY kind, subject LIMIT 20")
  throw new Difference(
    `${error.message}. The hub is ${JSON.stringify(body)}, and wants ${JSON.stringify(open)}`,
  )
}

/** Every vault gets what it lacks, and the time to decide about disputes passes: then nothing is left to do. */
async function endNetwork(network: ChaosNetwork, projects: readonly ScenarioProject[]): Promise<Counts> {
  for (const project of projects) {
    await fund(network, project, [], 'exact')
    for (const offence of project.offences)
      if (offence.expected === 'disputed') offence.expected = 'cancelled'
  }
  await network.settle()
  await network.pass(decisionSecs)
  await network.settle()
  const end = await checkNetwork(network, projects)
  if (end.epochs_waiting > 0 || end.slashes_disputed > 0)
    throw new Difference(`something is left to do: ${JSON.stringify({ ...end, paid: 0, taken: 0 })}`)
  return end
}
