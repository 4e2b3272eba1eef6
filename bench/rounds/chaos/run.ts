import { runCrons } from '../../crons.ts'
import { Difference, delay, until } from '../../settlement/chaos/difference.ts'
import type { Project } from '../../settlement/chaos/project.ts'
import { type RoundsNetwork, startRoundsNetwork } from '../network.ts'
import type { SimulatedMiner } from '../simulator/miner.ts'
import { endOfTask, submitTask } from '../tasks.ts'
import { bondAgain, checkIndex, fundVault } from './chain-records.ts'
import {
  addCounts,
  addTallies,
  type CheckedNetwork,
  type Counts,
  checkTasks,
  type EndedTask,
  noCounts,
} from './check.ts'
import { EpochLedger } from './epochs.ts'
import {
  committees,
  faultsWithinMs,
  minerCount,
  planScenario,
  planTurn,
  type ScenarioPlan,
  spareValidators,
  type TurnPlan,
} from './plan.ts'
import { ValidatorGroup } from './validator-group.ts'

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
/** On a machine that others keep busy it takes longer: this many times what an answer takes. */
const quietAnswers = 12
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
  let skews: TurnPlan['skews'] = { miners: [], validators: [] }
  const started = await startRoundsNetwork({
    spareValidators,
    skewOf: (miner) => skews.miners[miner] ?? 0,
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
  const group = new ValidatorGroup(started)
  const network = { ...started, group, ledger: new EpochLedger(started, group), givenAtMs: 0 }
  let result: ChaosResult = { scenarios: 0, ...noCounts, faults: {} }
  try {
    await group.settle()
    for (let done = 0; done < seeds.length; done += tasksPerTurn) {
      const own = seeds.slice(done, done + tasksPerTurn)
      skews = planTurn(own[0]!).skews
      network.validators.setSkews(skews.validators)
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
    await network.ledger.finish()
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

async function runTurn(network: CheckedNetwork, seeds: readonly number[], before: Counts): Promise<Counts> {
  const plan = planTurn(seeds[0]!)
  const { miners } = network
  const [away, busy] = [miners[plan.away?.miner ?? -1], miners[plan.busy ?? -1]]
  await bondAgain(network, collateral)
  if (plan.epochEnd !== null) await goBeforeEnd(network, plan.epochEnd)
  network.proxy.follow(seeds[0]!, plan.chainFaults, laggingOf(plan))
  const crons = runCrons(network.wake, cronMs)
  if (plan.away?.how === 'stopped') away?.leave()
  else away?.die()
  busy?.offerSlots(1)
  try {
    const running = Promise.all(seeds.map((seed) => runTask(network, seed)))
    await Promise.all([
      disturb(network, plan),
      running,
      hurry(network, running),
      network.ledger.watch(running),
    ])
    await network.group.settle()
    const counts = await checkTasks(network, await running, before, away)
    await network.ledger.settle()
    await checkIndex(network)
    await retireFormer(network)
    return counts
  } finally {
    await crons.stop()
    away?.return()
    busy?.offerSlots(slots)
    await allConnected(network)
  }
}

/** How long hub and chain take to answer at the moment. */
async function answerMs({ hub, chain }: RoundsNetwork): Promise<number> {
  const askedAtMs = performance.now()
  hub.leap()
  await Promise.all([hub.time(), chain.rpc('eth_blockNumber')])
  return performance.now() - askedAtMs
}

const laggingOf = ({ logsLagMs }: TurnPlan) => (logsLagMs === null ? {} : { logsLagMs })

/** All projects have epochs of one length. */
const epochSecsOf = ({ projects }: RoundsNetwork): number => projects[0]!.consensus.work.epoch_secs

/** Lets time pass until shortly before the end of an epoch, so that rounds are open over it. */
async function goBeforeEnd(network: RoundsNetwork, secs: number): Promise<void> {
  const now = await network.hub.time()
  const left = epochSecsOf(network) - (now % epochSecsOf(network)) - secs
  if (left <= 0) return
  network.faults.note('epoch_ends')
  await network.pass(left)
}

/** Validators that have nothing to answer for any more are gone for good. */
async function retireFormer(network: CheckedNetwork): Promise<void> {
  const epochSecs = epochSecsOf(network)
  const epoch = Math.floor((await network.hub.time()) / epochSecs)
  // Receipts of the epoch before may not be posted yet.
  network.group.retire(epoch - 1, epochSecs)
}

/** A device that was away is there again when the hub has said hello to it. */
const allConnected = ({ miners }: RoundsNetwork): Promise<void> =>
  until('every device is connected', async () => miners.every(({ isConnected }) => isConnected), {
    pollMs: connectionMs,
  })

async function runTask(network: CheckedNetwork, seed: number): Promise<EndedTask> {
  const input = inputOf(seed)
  const plan = planOf(input)
  const project = network.projects[plan.project]!
  const [functionName] = project.consensus.work.functions
  await delay(plan.startMs)
  if (plan.isPatient)
    while (!network.miners.every(({ isConnected }) => isConnected)) await delay(connectionMs)
  const givenAtMs = performance.now()
  network.givenAtMs = givenAtMs
  const { task_id } = await submitTask(network, project.projectId, functionName!, input, `scenario-${seed}`)
  network.givenAtMs = performance.now()
  network.ledger.begin(task_id, project)
  const task = await endOfTask(network, task_id)
  network.ledger.end(task_id)
  return { plan, input, task, givenAtMs, endedAtMs: performance.now() }
}

/** The faults of a turn. When they are over, the chain is as it should be again. */
async function disturb(network: CheckedNetwork, plan: TurnPlan): Promise<void> {
  const { faulty, proxy, faults, miners, validators, group, projects } = network
  const { validators: change } = plan
  let outages = 0
  await Promise.all([
    delay(plan.kill).then(network.kill),
    ...plan.cuts.map(({ ms, miner }) => delay(ms).then(() => miners[miner]?.cut())),
    ...plan.reorganisations.map(({ ms, share }) => delay(ms).then(() => faulty.reorganise(share))),
    ...plan.outages.map(({ ms, forMs }) => delay(ms).then(() => loseChain(forMs))),
    ...plan.restarts.map(({ ms, forMs, which }) => delay(ms).then(() => restart(which, forMs))),
    ...plan.funding.map(({ ms, project }) =>
      delay(ms).then(() => fundVault(network, projects[project] as Project)),
    ),
    change && delay(change.ms).then(() => group.change(change)),
    delay(faultsWithinMs),
  ])
  // Logs that lag come by themselves, so the receipts of this turn meet them too.
  proxy.follow(0, 0, laggingOf(plan))

  async function restart(which: number, forMs: number): Promise<void> {
    const validator = group.at(which)
    faults.note('validator_restarted')
    validators.setUp(validator, false)
    await delay(forMs)
    validators.setUp(validator, true)
  }

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
async function hurry(network: CheckedNetwork, running: Promise<unknown>): Promise<void> {
  const { faulty, miners, validators, up } = network
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
    const neededMs = Math.max(quietMs, quietAnswers * (await answerMs(network)))
    const heardAtMs = Math.max(
      network.givenAtMs,
      validators.askedAtMs(),
      ...miners.map((miner: SimulatedMiner) => miner.heardAtMs),
    )
    if (heardAtMs > movedAtMs) {
      secs = leapSecs.min
      leapt = 0
    }
    const lastMs = Math.max(heardAtMs, movedAtMs)
    const isQuiet = performance.now() - lastMs > neededMs
    const isBusy = validators.isAnyDown() || !miners.every(({ isIdle }) => isIdle)
    if (isOver || !isQuiet || leapt >= leapSecs.inARow || isBusy) continue
    await faulty.pass(secs)
    movedAtMs = performance.now()
    leapt += secs
    secs = Math.min(leapSecs.max, 2 * secs)
  }
}

const faultsOf = ({ faults, faulty, proxy }: RoundsNetwork): Record<string, number> =>
  Object.fromEntries([...faults.counts, ...faulty.faults, ...[...proxy.faults].map(chainFault)].sort())

const chainFault = ([name, count]: [string, number]): [string, number] => [`chain: ${name}`, count]
