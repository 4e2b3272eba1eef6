import { delay, happenInTime, runCrons, until } from '../harness/time.ts'
import type { Project } from '../network/projects.ts'
import { bondAgain, checkIndex, fundVault } from './chain-records.ts'
import { type CheckedNetwork, type Counts, checkTasks, type EndedTask } from './check.ts'
import { hurry } from './hurry.ts'
import type { RoundsNetwork } from './network.ts'
import { faultsWithinMs, planScenario, planTurn, type ScenarioPlan, type TurnPlan } from './plan.ts'
import { readOn } from './reader.ts'
import { endOfTask, submitTask } from './tasks.ts'

export const slots = 32
/** Collateral of each member of a project. */
export const collateral = 100_000n * 10n ** 18n
const cronMs = 3_000
const connectionMs = 200

const inputOf = (seed: number) => `scenario ${seed}`

const plans = new Map<string, ScenarioPlan>()
export function planOf(input: string): ScenarioPlan {
  const known = plans.get(input)
  if (known !== undefined) return known
  const plan = planScenario(Number(input.split(' ')[1]))
  plans.set(input, plan)
  return plan
}

export async function runTurn(
  network: CheckedNetwork,
  seeds: readonly number[],
  before: Counts,
): Promise<Counts> {
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
  await delay(plan.startMs)
  if (plan.isPatient)
    while (!network.miners.every(({ isConnected }) => isConnected)) await delay(connectionMs)
  const givenAtMs = performance.now()
  network.givenAtMs = givenAtMs
  const { task_id } = await submitTask(network, project, input, `scenario-${seed}`)
  network.givenAtMs = performance.now()
  network.ledger.begin(task_id, project)
  const reading = readOn(network, project, task_id)
  const task = await endOfTask(network, task_id)
  network.ledger.end(task_id)
  const endedAtMs = performance.now()
  await reading
  return { plan, input, task, givenAtMs, endedAtMs }
}

/** The faults of a turn. When they are over, the chain is as it should be again. */
async function disturb(network: CheckedNetwork, plan: TurnPlan): Promise<void> {
  const { faulty, proxy, faults, miners, validators, group, projects } = network
  const { validators: change } = plan
  let outages = 0
  await happenInTime([
    { ms: plan.kill, happen: network.kill },
    ...plan.cuts.map(({ ms, miner }) => ({ ms, happen: () => miners[miner]?.cut() })),
    ...plan.reorganisations.map(({ ms, share }) => ({ ms, happen: () => faulty.reorganise(share) })),
    ...plan.outages.map(({ ms, forMs }) => ({ ms, happen: () => loseChain(forMs) })),
    ...plan.restarts.map(({ ms, forMs, which }) => ({ ms, happen: () => restart(which, forMs) })),
    ...plan.funding.map(({ ms, project }) => ({
      ms,
      happen: () => fundVault(network, projects[project] as Project),
    })),
    ...(change === null ? [] : [{ ms: change.ms, happen: () => group.change(change) }]),
    { ms: faultsWithinMs, happen: () => {} },
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
