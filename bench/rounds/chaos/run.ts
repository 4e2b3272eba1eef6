import { runCrons } from '../../crons.ts'
import { Difference, delay } from '../../settlement/chaos/difference.ts'
import { type RoundsNetwork, startRoundsNetwork } from '../network.ts'
import { endOfTask, submitTask } from '../tasks.ts'
import { type Counts, checkTasks, type EndedTask, noCounts } from './check.ts'
import { faultsWithinMs, planTurn, type TurnPlan } from './plan.ts'

const cronMs = 1_500

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
  readonly kills: number
  readonly cut_sockets: number
  /** How often each fault of the chain happened. */
  readonly faults: Readonly<Record<string, number>>
}

const projectCount = 8
/** Tasks at once, all of them under the faults of one turn. */
const tasksPerTurn = 100
const awayMs = 4_000
/** How often the time of the network leaps, and how far: well within the time that a node has to accept. */
const hurryMs = 2_000
const hurrySecs = 4

/** Runs the scenarios on one network. @throws {@link Difference} */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { scenarios, firstSeed, onProgress, onTurn } = options
  const network = await startRoundsNetwork({
    projects: projectCount,
    seed: firstSeed,
    slots: 16,
    runMs: 10,
    onProgress,
  })
  let counts = noCounts
  let kills = 0
  let cuts = 0
  let done = 0
  const result = (): ChaosResult => ({
    scenarios: done,
    ...counts,
    kills,
    cut_sockets: cuts,
    faults: Object.fromEntries([...network.faulty.faults, ...network.proxy.faults].sort()),
  })
  try {
    while (done < scenarios) {
      const seed = firstSeed + done
      const seeds = Array.from(
        { length: Math.min(tasksPerTurn, scenarios - done) },
        (_, index) => seed + index,
      )
      const plan = planTurn(seed, network.miners.length)
      try {
        counts = await runTurn(network, plan, seeds, counts)
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        throw new Difference(
          `Seeds ${seed} to ${seeds.at(-1)}: ${error.message}. The plan: ${JSON.stringify(plan)}`,
        )
      }
      if (plan.kill !== null) kills += 1
      cuts += plan.cuts.length
      done += seeds.length
      onProgress(
        `${done} tasks are over: ${counts.finalized} final, of them ${counts.run_by_validators} run by validators; ${counts.failed} failed`,
      )
      onTurn(result())
    }
    return result()
  } finally {
    await network.stop()
  }
}

async function runTurn(
  network: RoundsNetwork,
  plan: TurnPlan,
  seeds: readonly number[],
  counts: Counts,
): Promise<Counts> {
  for (const [index, miner] of network.miners.entries()) miner.habits = plan.habits[index] ?? {}
  for (const [index, mode] of plan.validators.entries()) network.validators.behave(index, mode)
  network.proxy.follow(seeds[0]!, plan.chainFaults)
  const crons = runCrons(network.wake, cronMs)
  try {
    const faults = disturb(network, plan)
    const running = Promise.all(seeds.map((seed) => runTask(network, seed)))
    await Promise.all([faults, hurry(network, faults, running)])
    return await checkTasks(network, await running, counts)
  } finally {
    await crons.stop()
  }
}

async function runTask(network: RoundsNetwork, seed: number): Promise<EndedTask> {
  const project = network.projects[seed % network.projects.length]!
  const [functionName] = project.consensus.work.functions
  const input = `scenario ${seed}`
  const { task_id } = await submitTask(network, project.projectId, functionName!, input, `scenario-${seed}`)
  const task = await endOfTask(network, task_id)
  return { project, input, task }
}

/** The faults of a turn. When they are over, validators and chain are as they should be again. */
async function disturb(network: RoundsNetwork, plan: TurnPlan): Promise<void> {
  const { faulty, proxy, miners, validators } = network
  await Promise.all([
    plan.kill === null ? undefined : delay(plan.kill).then(network.kill),
    ...plan.cuts.map(({ ms, miner }) => delay(ms).then(() => miners[miner]?.cut())),
    ...plan.reorganisations.map(({ ms, share }) => delay(ms).then(() => faulty.reorganise(share))),
    plan.chainAway ? away() : undefined,
    delay(faultsWithinMs),
  ])
  proxy.follow(0, 0)
  for (const index of plan.validators.keys()) validators.behave(index, 'honest')

  async function away(): Promise<void> {
    proxy.down = true
    await delay(awayMs)
    proxy.down = false
  }
}

/** Deadlines are minutes of the network's time: once the faults are over, it goes faster than ours until all tasks are. */
async function hurry(
  { faulty }: RoundsNetwork,
  faults: Promise<unknown>,
  running: Promise<unknown>,
): Promise<void> {
  let isOver = false
  const over = running.finally(() => {
    isOver = true
  })
  await Promise.race([faults, over])
  while (!isOver) {
    await Promise.race([delay(hurryMs), over])
    await faulty.pass(hurrySecs)
  }
}
