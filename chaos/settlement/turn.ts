import { Difference } from '../harness/difference.ts'
import { draws } from '../harness/draws.ts'
import { delay, happenInTime, runCrons } from '../harness/time.ts'
import { checkNetwork } from './check.ts'
import { claimStep } from './claims.ts'
import type { Counts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import { reopenStep, vetoStep } from './payments.ts'
import { planScenario } from './plan.ts'
import type { Scenario, ScenarioProject } from './records.ts'
import { beginScenario, repeatStep, settleStep, workStep } from './scenario.ts'

const cronMs = 4_000
const hour = 3_600
/** Two epochs lie between the committee sets of two turns, for scenarios with several epochs. */
const epochsPerTurn = 3
const stepsPerTurn = 5
/** The hub is killed once in about this many scenarios, in steps that the seed fixes. */
const scenariosPerKill = 24
/** How long a step may take before it is disturbed. */
const disturbedMs = 2_500
/** How long a node shows no receipts, or fails to. */
const blindMs = 2_500
/** In some steps, the logs of a block come this long after its header. */
const logsLagMs = 3_000

/** The steps of a turn in which the hub is killed. */
export function killedSteps(seeds: readonly number[]): number[] {
  const steps = Array.from({ length: stepsPerTurn }, (_, at) => at)
  const share = (100 * seeds.length) / scenariosPerKill / stepsPerTurn
  return draws(seeds[0] as number).some(steps, share)
}

/** One scenario in each project, from the beginning of an epoch until nothing moves any more. */
export async function runTurn(
  network: ChaosNetwork,
  projects: readonly ScenarioProject[],
  seeds: readonly number[],
  killed: readonly number[],
  onStep: (text: string) => void,
): Promise<Counts> {
  const random = draws(-(seeds[0] as number))
  const now = await network.hub.time()
  const epoch = Math.floor(now / hour) + epochsPerTurn
  const plans = seeds.map(planScenario)
  const scenarios = await Promise.all(
    plans.map((plan, at) => beginScenario(network, projects[at] as ScenarioProject, plan, epoch)),
  )
  await network.pass(epoch * hour + 60 - now)
  const rate = random.below(4) * 0.04
  const step = async (at: number, work: (scenario: Scenario) => Promise<void>) => {
    const seed = (seeds[0] as number) + at
    const lagging = random.percent(25) ? { logsLagMs } : {}
    network.proxy.follow(seed, rate, {
      withoutReceipts: random.percent(15),
      failingReceipts: random.percent(15),
      ...lagging,
    })
    // A node that shows no receipts leaves the outcome of every transaction open.
    const seeing = delay(blindMs).then(() => network.proxy.follow(seed, rate, lagging))
    const ms = () => random.below(disturbedMs)
    const kills = killed.includes(at)
      ? [{ ms: ms(), happen: () => network.kill().then(network.schedule) }]
      : []
    const reorganisations = [0, 1]
      .filter(() => random.percent(35))
      .map(() => ({ ms: ms(), share: random.below(100) / 100 }))
      .map(({ ms, share }) => ({ ms, happen: () => network.faulty.reorganise(share) }))
    const jumps = random.percent(15) ? [{ ms: 0, happen: network.faulty.jump }] : []
    const stopped = happenInTime([...kills, ...reorganisations, ...jumps])
    const crons = runCrons(network.schedule, cronMs)
    const startedMs = performance.now()
    try {
      await Promise.all([each(scenarios, work), stopped, seeing]).finally(crons.stop)
      const doneMs = performance.now()
      await network.settle()
      onStep(
        `from seed ${seeds[0]}, step ${at}: ${Math.round((doneMs - startedMs) / 1000)} s, settled after ${Math.round((performance.now() - doneMs) / 1000)} s`,
      )
    } finally {
      network.proxy.follow(0, 0)
    }
    await each(scenarios, (scenario) => repeatStep(network, scenario))
  }
  await step(0, (scenario) => workStep(network, scenario))
  await network.pass((epoch + 1) * hour + 130 - (await network.hub.time()))
  await step(1, (scenario) => settleStep(network, scenario))
  await step(2, (scenario) => vetoStep(network, scenario))
  await step(3, (scenario) => reopenStep(network, scenario))
  // The challenge period of epochs is over, and the windows of slashes.
  await network.pass(hour + 900)
  await step(4, (scenario) => claimStep(network, scenario))
  await network.settle()
  return checkNetwork(network, projects)
}

/** Names the seed of a scenario that fails. */
async function each(scenarios: readonly Scenario[], work: (scenario: Scenario) => Promise<void>) {
  const ended = await Promise.allSettled(scenarios.map(work))
  const at = ended.findIndex(({ status }) => status === 'rejected')
  if (at < 0) return
  const { reason } = ended[at] as PromiseRejectedResult
  if (!(reason instanceof Difference)) throw reason
  const { plan } = scenarios[at]!
  throw new Difference(`seed ${plan.seed}: ${reason.message}; its plan is ${JSON.stringify(plan)}`)
}
