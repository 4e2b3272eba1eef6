import { runCrons } from '../../crons.ts'
import { draws } from '../../draws.ts'
import { type Counts, checkNetwork } from './check.ts'
import { Difference, delay } from './difference.ts'
import { type ChaosNetwork, startChaosNetwork } from './network.ts'
import { planScenario, type ScenarioPlan } from './plan.ts'
import { createProjects, type Project } from './project.ts'
import {
  beginScenario,
  claimStep,
  fund,
  reopenStep,
  repeatStep,
  type Scenario,
  settleStep,
  vetoStep,
  workStep,
} from './scenario.ts'

const cronMs = 4_000

/** What came of a network's scenarios, so far or in the end. */
export interface NetworkResult {
  counts: Counts
  scenarios: number
  kills: number
  /** How often each fault happened. */
  faults: Map<string, number>
}

export interface RunOptions {
  seeds: readonly number[]
  /** Scenarios at once, each in a project of its own. */
  atOnce: number
  /** The hub is killed once for about so many scenarios, in steps that the seed fixes. */
  scenariosPerKill: number
  onProgress: (text: string) => void
  /** Told after every turn. */
  onTurn: (result: NetworkResult) => void
}

const hour = 3_600
/** Two epochs lie between the committee sets of two turns, for scenarios with several epochs. */
const epochsPerTurn = 3
const stepsPerTurn = 5
const decisionSecs = 15 * 86_400
/** How long a step may take before it is disturbed. */
const disturbedMs = 2_500
/** How long a node shows no receipts, or fails to. */
const blindMs = 2_500
/** The logs of a block come so long after its header, in some steps. */
const logsLagMs = 3_000

/** Scenarios on one network, to their end. @throws {@link Difference} */
export async function runOnNetwork(options: RunOptions): Promise<NetworkResult> {
  const { seeds, atOnce, scenariosPerKill, onProgress, onTurn } = options
  const network = await startChaosNetwork()
  try {
    const projects = await createProjects(network, Math.min(atOnce, seeds.length))
    await network.pass(4 * hour)
    await network.settle()
    onProgress(`${projects.length} projects are made`)
    let kills = 0
    const resultOf = (counts: Counts, scenarios: number): NetworkResult => ({
      counts,
      scenarios,
      kills,
      faults: new Map([...network.faulty.faults, ...network.proxy.faults]),
    })
    for (let first = 0; first < seeds.length; first += atOnce) {
      const here = seeds.slice(first, first + atOnce)
      const killed = killedSteps(here, scenariosPerKill)
      kills += killed.length
      const named = `seeds ${here[0]} to ${here.at(-1)}`
      const counts = await runTurn(network, projects, here, killed, onProgress).catch((error: unknown) =>
        explain(network, named, error),
      )
      onProgress(`${named}: all agree; kills of the hub: ${killed.length}`)
      onTurn(resultOf(counts, first + here.length))
    }
    return resultOf(await endNetwork(network, projects), seeds.length)
  } finally {
    await network.stop()
  }
}

/** Says of which scenarios a difference is, and how the hub is. */
async function explain({ hub, rows }: ChaosNetwork, named: string, error: unknown): Promise<never> {
  if (!(error instanceof Difference)) throw error
  const { body } = await hub.call({ path: '/v1/status' })
  const open = await rows("SELECT * FROM hub_actions WHERE state = 'open' LIMIT 20")
  throw new Difference(
    `${named}: ${error.message}. The hub is ${JSON.stringify(body)}, and wants ${JSON.stringify(open)}`,
  )
}

/** The steps of a turn in which the hub is killed. */
function killedSteps(seeds: readonly number[], scenariosPerKill: number): number[] {
  const steps = Array.from({ length: stepsPerTurn }, (_, at) => at)
  const share = (100 * seeds.length) / scenariosPerKill / stepsPerTurn
  return draws(seeds[0] as number).some(steps, share)
}

/** One scenario in each project, from the beginning of an epoch until nothing moves any more. */
async function runTurn(
  network: ChaosNetwork,
  projects: readonly Project[],
  seeds: readonly number[],
  killed: readonly number[],
  onStep: (text: string) => void,
): Promise<Counts> {
  const random = draws(-(seeds[0] as number))
  const now = await network.hub.time()
  const epoch = Math.floor(now / hour) + epochsPerTurn
  const plans = seeds.map(planScenario)
  const scenarios = await Promise.all(
    plans.map((plan, at) => beginScenario(network, projects[at] as Project, plan, epoch)),
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
    // A node that shows no receipts leaves open what became of anything.
    const seeing = delay(blindMs).then(() => network.proxy.follow(seed, rate, lagging))
    const stopped = disturb(network, {
      kill: killed.includes(at) ? random.below(disturbedMs) : null,
      reorganisations: [0, 1]
        .filter(() => random.percent(35))
        .map(() => [random.below(disturbedMs), random.below(100) / 100] as const),
      jump: random.percent(15),
    })
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
  const failures = await Promise.all(
    scenarios.map((scenario) =>
      work(scenario).then(
        () => null,
        (error: unknown) => ({ plan: scenario.plan, error }),
      ),
    ),
  )
  const [first] = failures.filter((one): one is { plan: ScenarioPlan; error: unknown } => one !== null)
  if (first === undefined) return
  if (!(first.error instanceof Difference)) throw first.error
  throw new Difference(
    `seed ${first.plan.seed}: ${first.error.message}; its plan is ${JSON.stringify(first.plan)}`,
  )
}

interface Disturbances {
  /** Milliseconds after which the hub is killed. */
  kill: number | null
  /** When each is, and how deep. */
  reorganisations: readonly (readonly [ms: number, share: number])[]
  jump: boolean
}

async function disturb(
  { faulty, kill: killHub, schedule }: ChaosNetwork,
  { kill, reorganisations, jump }: Disturbances,
): Promise<void> {
  await Promise.all([
    ...reorganisations.map(async ([ms, share]) => {
      await delay(ms)
      await faulty.reorganise(share)
    }),
    jump ? faulty.jump() : undefined,
    kill === null ? undefined : delay(kill).then(killHub).then(schedule),
  ])
}

/** Every vault gets what it lacks, and the time to decide about disputes passes: then nothing is left to do. */
async function endNetwork(network: ChaosNetwork, projects: readonly Project[]): Promise<Counts> {
  for (const project of projects) {
    await fund(network, project, [], 'exact')
    for (const offence of project.offences)
      if (offence.expected === 'disputed') offence.expected = 'cancelled'
  }
  await network.settle()
  await network.pass(decisionSecs)
  await network.settle()
  const end = await checkNetwork(network, projects)
  if (end.epochsWaiting > 0 || end.slashesDisputed > 0)
    throw new Difference(`something is left to do: ${JSON.stringify({ ...end, paid: 0, taken: 0 })}`)
  return end
}
