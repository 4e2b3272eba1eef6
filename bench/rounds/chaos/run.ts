import { runCrons } from '../../crons.ts'
import { Difference, delay, until } from '../../settlement/chaos/difference.ts'
import { type RoundsNetwork, startRoundsNetwork } from '../network.ts'
import type { SimulatedMiner } from '../simulator/miner.ts'
import { endOfTask, submitTask } from '../tasks.ts'
import { addCounts, addTallies, type Counts, checkTasks, type EndedTask, noCounts } from './check.ts'
import {
  committees,
  faultsWithinMs,
  minerCount,
  planScenario,
  planTurn,
  type ScenarioPlan,
  type TurnPlan,
} from './plan.ts'

export interface ChaosOptions {
  readonly scenarios: number
  readonly firstSeed: number
  readonly onProgress: (text: string) => void
  /** Told after every turn. */
  readonly onTurn: (result: ChaosResult) => void
}

/** What came of the scenarios so far. */
export interface ChaosResult extends Counts {
  readonly scenarios: number
  /** How often each fault happened, by name. */
  readonly faults: Readonly<Record<string, number>>
}

/** Tasks at once, all of them under the faults of one turn. */
const tasksPerTurn = 25
/** A network has so many turns: checks become slow with many rounds, and collateral with many slashes small. */
const turnsPerNetwork = 20
const slots = 32
const collateral = 100_000n * 10n ** 18n
const cronMs = 3_000
/** How often connections are looked at. */
const connectionMs = 200
/** When nobody has heard anything for so long, what comes next is a deadline. */
const quietMs = 1_500
/**
 * How far the time of the network leaps then, in seconds: further each time in a row, up to the longest pause between two
 * questions to validators. What then does not happen is not a matter of time.
 */
const leapSecs = { min: 5, max: 60, inARow: 180 }

/** Runs the scenarios, on one network after the other. @throws {@link Difference} */
export async function runChaos({
  scenarios,
  firstSeed,
  onProgress,
  onTurn,
}: ChaosOptions): Promise<ChaosResult> {
  const seeds = Array.from({ length: scenarios }, (_, index) => firstSeed + index)
  let before: ChaosResult = { scenarios: 0, ...noCounts, faults: {} }
  while (before.scenarios < scenarios) {
    const own = seeds.slice(before.scenarios, before.scenarios + tasksPerTurn * turnsPerNetwork)
    const sum = (result: ChaosResult): ChaosResult => addResults(before, result)
    before = sum(await runOnNetwork(own, onProgress, (result) => onTurn(sum(result))))
  }
  return before
}

const addResults = (one: ChaosResult, other: ChaosResult): ChaosResult => ({
  scenarios: one.scenarios + other.scenarios,
  ...addCounts(one, other),
  faults: addTallies(one.faults, other.faults),
})

async function runOnNetwork(
  seeds: readonly number[],
  onProgress: (text: string) => void,
  onTurn: (result: ChaosResult) => void,
): Promise<ChaosResult> {
  const network = await startRoundsNetwork({
    projects: committees.length,
    make: { members: minerCount, collateral, committees },
    slots,
    runMs: 10,
    conductOf: (input, position) => planOf(input).members.get(position) ?? 'honest',
    modeOf: (input, validator, times) => {
      const modes = planOf(input).validators[validator] ?? []
      return modes[Math.min(times, modes.length - 1)] ?? 'honest'
    },
    onProgress,
  })
  let result: ChaosResult = { scenarios: 0, ...noCounts, faults: {} }
  try {
    for (let done = 0; done < seeds.length; done += tasksPerTurn) {
      const own = seeds.slice(done, done + tasksPerTurn)
      const counts = await runTurn(network, own, result).catch((error) => {
        if (!(error instanceof Difference)) throw error
        throw new Difference(`Seeds ${own[0]} to ${own.at(-1)}: ${error.message}`)
      })
      result = { scenarios: done + own.length, ...counts, faults: faultsOf(network) }
      onProgress(
        `seed ${own.at(-1)}: ${counts.finalized} final, ${counts.by_committee} of them by their committee; failed: ${JSON.stringify(counts.failed)}`,
      )
      onTurn(result)
    }
    return result
  } finally {
    await network.stop()
  }
}

const inputOf = (seed: number) => `scenario ${seed}`

const plans = new Map<string, ScenarioPlan>()
function planOf(input: string): ScenarioPlan {
  const known = plans.get(input)
  if (known !== undefined) return known
  const plan = planScenario(Number(input.split(' ')[1]))
  plans.set(input, plan)
  return plan
}

async function runTurn(network: RoundsNetwork, seeds: readonly number[], before: Counts): Promise<Counts> {
  const plan = planTurn(seeds[0]!)
  const { miners } = network
  const [away, busy] = [miners[plan.away?.miner ?? -1], miners[plan.busy ?? -1]]
  network.proxy.follow(seeds[0]!, plan.chainFaults)
  const crons = runCrons(network.wake, cronMs)
  if (plan.away?.how === 'stopped') away?.leave()
  else away?.die()
  busy?.offerSlots(1)
  try {
    const running = Promise.all(seeds.map((seed) => runTask(network, seed)))
    await Promise.all([disturb(network, plan), running, hurry(network, running)])
    return await checkTasks(network, await running, before, away)
  } finally {
    await crons.stop()
    away?.return()
    busy?.offerSlots(slots)
    await allConnected(network)
  }
}

/** A device that was away is there again when the hub has said hello to it. */
const allConnected = ({ miners }: RoundsNetwork): Promise<void> =>
  until('every device is connected', async () => miners.every(({ isConnected }) => isConnected), {
    pollMs: connectionMs,
  })

async function runTask(network: RoundsNetwork, seed: number): Promise<EndedTask> {
  const input = inputOf(seed)
  const plan = planOf(input)
  const project = network.projects[plan.project]!
  const [functionName] = project.consensus.work.functions
  await delay(plan.startMs)
  if (plan.isPatient)
    while (!network.miners.every(({ isConnected }) => isConnected)) await delay(connectionMs)
  const givenAtMs = performance.now()
  const { task_id } = await submitTask(network, project.projectId, functionName!, input, `scenario-${seed}`)
  const task = await endOfTask(network, task_id)
  return { plan, input, task, givenAtMs, endedAtMs: performance.now() }
}

/** The faults of a turn. When they are over, the chain is as it should be again. */
async function disturb(network: RoundsNetwork, plan: TurnPlan): Promise<void> {
  const { faulty, proxy, faults, miners } = network
  let outages = 0
  await Promise.all([
    delay(plan.kill).then(network.kill),
    ...plan.cuts.map(({ ms, miner }) => delay(ms).then(() => miners[miner]?.cut())),
    ...plan.reorganisations.map(({ ms, share }) => delay(ms).then(() => faulty.reorganise(share))),
    ...plan.outages.map(({ ms, forMs }) => delay(ms).then(() => loseChain(forMs))),
    delay(faultsWithinMs),
  ])
  proxy.follow(0, 0)

  async function loseChain(forMs: number): Promise<void> {
    faults.note('chain_away')
    outages += 1
    proxy.down = true
    await delay(forMs)
    outages -= 1
    proxy.down = outages > 0
  }
}

/**
 * Deadlines are minutes of the network's time. While nobody has anything to do but wait for one, time leaps; so nobody is
 * late because it leapt.
 */
async function hurry(
  { faulty, miners, validators, up }: RoundsNetwork,
  running: Promise<unknown>,
): Promise<void> {
  let isOver = false
  const over = running.finally(() => {
    isOver = true
  })
  let movedAtMs = performance.now()
  let secs = leapSecs.min
  let leapt = 0
  while (!isOver) {
    await Promise.race([delay(quietMs / 3), over])
    await up()
    const heardAtMs = Math.max(
      validators.askedAtMs(),
      ...miners.map((miner: SimulatedMiner) => miner.heardAtMs),
    )
    if (heardAtMs > movedAtMs) {
      secs = leapSecs.min
      leapt = 0
    }
    const isQuiet = performance.now() - Math.max(heardAtMs, movedAtMs) > quietMs
    if (isOver || !isQuiet || leapt >= leapSecs.inARow || !miners.every(({ isIdle }) => isIdle)) continue
    await faulty.pass(secs)
    movedAtMs = performance.now()
    leapt += secs
    secs = Math.min(leapSecs.max, 2 * secs)
  }
}

const faultsOf = ({ faults, faulty, proxy }: RoundsNetwork): Record<string, number> =>
  Object.fromEntries([...faults.counts, ...faulty.faults, ...[...proxy.faults].map(chainFault)].sort())

const chainFault = ([name, count]: [string, number]): [string, number] => [`chain: ${name}`, count]
