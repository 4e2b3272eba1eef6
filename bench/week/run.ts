/**
 * A week of moved time: `npm run soak:week -- [epochs] [seed]`. Tasks in every epoch while hub, validators and miners end and
 * come back, join and leave, and logs lag; then holds chain and hub against what follows from the records of the rounds.
 * Writes bench/week/result.json, or result-<seed>.json for fewer epochs; exits 1 where anything differs. Linux only.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listChildren } from '../../localnet/processes.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { memory } from '../process-memory.ts'
import { checkWeek } from './check.ts'
import { claimDirectly, claimThroughHub } from './claims.ts'
import { changeValidators, type Miner, stakingCall, startWeekNetwork, type Validator } from './network.ts'
import { type EpochPlan, planWeek, type Restart } from './plan.ts'
import { readEpoch } from './records.ts'
import { type RestartContext, restart, waitForClocks } from './restarts.ts'
import { followTask, type GivenTask, giveTask } from './tasks.ts'

const week168 = 168
const [epochs = week168, seed = 1] = process.argv.slice(2).map(Number)
if (!(epochs > 0) || !Number.isSafeInteger(epochs) || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run soak:week -- [epochs, above 0] [seed, a whole number]')
  process.exit(2)
}
const file = epochs === week168 ? 'bench/week/result.json' : `bench/week/result-${epochs}-${seed}.json`

const epochSecs = 3_600
/** A receipt is first asked for so long after the end of its epoch, and once more for every further span. */
const { settle, attempt_secs } = defaultNetworkParams
/** Nodes need about that long to follow time that has leapt, and tasks come in the last five seconds. */
const beforeEndSecs = 8
const taskLimitMs = 120_000
/** Collateral is withdrawn so many epochs after it was unbonded, which takes three days. */
const withdrawnAfter = 74
/** A validator that left answers for the epochs that its generation counts for. */
const stoppedAfter = 3
const memoryEach = 12

const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)
const say = (text: string) => console.log(`${seconds()} s: ${text}`)
const problems: string[] = []
const problem = (text: string) => {
  problems.push(text)
  console.error(`${seconds()} s: ${text}`)
}
const folder = mkdtempSync(path.join(tmpdir(), 'week-'))
const week = await startWeekNetwork(folder, ({ name, plan }) =>
  problem(`${name} ended by itself: ${plan.logFile}`),
)
const restarts: RestartContext = { say, problem, counts: {} }
const tasks: GivenTask[] = []
const open = new Set<Promise<void>>()
const changes = { joined: 0, left: 0, replaced: 0, miners_joined: 0, miners_left: 0, withdrawn: 0 }
const kept: Record<string, number>[] = []
let logsLagged = 0
let nextTask = 0
try {
  say(`The network runs; logs are in ${folder}`)
  // Who is bonded before the beacon of an epoch is in its set.
  const first = epochAt(week.time() + defaultNetworkParams.beacon_offset_secs, epochSecs) + 1
  await passUntil(epochStart(first, epochSecs) + settle + 5)
  for (const [index, plan] of planWeek(seed, epochs).entries()) {
    try {
      await runEpoch(first + index, index, plan)
    } catch (error) {
      // The week goes on, so that its end shows what came of it.
      problem(`Epoch ${index + 1}: ${(error as Error).stack ?? error}`)
      await passUntil(epochStart(first + index + 1, epochSecs) + settle + 5)
    }
  }
  await finishWeek(first)
  const result = await summarize(first)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  console.log(JSON.stringify(result, null, 2))
} catch (error) {
  problem(String((error as Error).stack ?? error))
} finally {
  await week.stop()
  // Logs of what went wrong are looked at.
  if (problems.length === 0) rmSync(folder, { recursive: true })
}
process.exit(problems.length === 0 ? 0 : 1)

async function passUntil(time: number): Promise<void> {
  await week.pass(time - week.time())
}

/** One epoch: begins when its predecessor can be settled, and ends where the next one begins so. */
async function runEpoch(epoch: number, index: number, plan: EpochPlan): Promise<void> {
  const startMs = performance.now()
  setLag(plan.logsLagMs)
  await disturb(plan.atRest)
  await changeMembers(epoch, index, plan)
  const atWork = disturb(plan.atWork)
  await giveTasks(plan.tasks)
  await Promise.all([allOver(), atWork])
  if (plan.claims) say(`${await claimThroughHub(week)} recipients claim`)
  if (index % memoryEach === 0) kept.push(noteMemory(index))
  const end = epochStart(epoch + 1, epochSecs)
  if (plan.beforeEndMs.length > 0) {
    await passUntil(end - beforeEndSecs)
    const atEnd = disturb(plan.atEnd)
    for (const beforeMs of plan.beforeEndMs) {
      await pause(Math.max(0, (end - week.time()) * 1_000 - beforeMs))
      await giveTasks(1)
    }
    await Promise.all([allOver(), atEnd])
  }
  await passUntil(end + settle + 5)
  const took = ((performance.now() - startMs) / 1000).toFixed(1)
  say(`epoch ${index + 1} of ${epochs}: ${tasks.length} tasks so far, ${took} s`)
}

async function disturb(plan: Restart | null): Promise<void> {
  if (plan !== null) await restart(week, plan, restarts)
}

function setLag(logsLagMs: number): void {
  if (logsLagMs > 0) logsLagged += 1
  for (const proxy of [week.hubProxy, week.validatorProxy]) proxy.follow(seed, 0, { logsLagMs })
}

async function giveTasks(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const given = await giveTask(week, nextTask++)
      tasks.push(given)
      const following = followTask(week, given, taskLimitMs).finally(() => open.delete(following))
      open.add(following)
    }),
  )
}

/** Returns once no task is open, or those that are have been so for long. */
async function allOver(): Promise<void> {
  await Promise.all([...open])
}

async function changeMembers(epoch: number, index: number, plan: EpochPlan): Promise<void> {
  if (plan.validators !== null) await changeTheValidators(epoch, plan.validators)
  if (plan.miners === 'join') {
    const { node } = await week.addMiner()
    changes.miners_joined += 1
    say(`${node.name} binds and bonds`)
  }
  const here = week.miners.filter(({ leftIn }) => leftIn === null)
  if (plan.miners === 'leave') await leave(here[0], epoch)
  for (const miner of week.miners) {
    if (miner.leftIn === null) continue
    if (miner.leftIn + stoppedAfter === epoch) await stopLeft(miner)
    if (miner.leftIn + withdrawnAfter === epoch) {
      await week.send([stakingCall(week.contracts, 'withdraw', [miner.subscriptionId])])
      changes.withdrawn += 1
      say(`${miner.node.name} withdraws its collateral in epoch ${index + 1}`)
    }
  }
  for (const validator of week.validators)
    if (validator.leftIn !== null && validator.leftIn + stoppedAfter === epoch) await stopLeft(validator)
}

async function leave(miner: Miner | undefined, epoch: number): Promise<void> {
  if (miner === undefined) return
  await week.send([stakingCall(week.contracts, 'unbond', [miner.subscriptionId])])
  miner.leftIn = epoch
  changes.miners_left += 1
  say(`${miner.node.name} unbonds`)
}

async function stopLeft({ node }: Miner | Validator): Promise<void> {
  if ((await node.stop()) !== 0) problem(`${node.name}, which left, does not stop when it is told to.`)
}

async function changeTheValidators(
  epoch: number,
  change: NonNullable<EpochPlan['validators']>,
): Promise<void> {
  const here = week.validators.filter(({ leftIn }) => leftIn === null)
  const leaving = change === 'join' ? [] : here.slice(0, 1)
  const joining = change === 'leave' ? [] : [await week.addValidator()]
  const generation = await changeValidators(week, joining, leaving)
  for (const validator of leaving) validator.leftIn = epoch
  changes.joined += joining.length
  changes.left += leaving.length
  if (change === 'replace') changes.replaced += 1
  const names = (of: readonly Validator[]) => of.map(({ node }) => node.name).join(', ') || 'nobody'
  say(`generation ${generation} of the validators: ${names(joining)} joins, ${names(leaving)} leaves`)
}

/** Tasks that are open still end, every epoch is posted and released, and everybody is paid. */
async function finishWeek(first: number): Promise<void> {
  setLag(0)
  say('No more tasks are given')
  await waitForClocks(week)
  await Promise.all(tasks.map((given) => followTask(week, given, taskLimitMs)))
  const statusOf = async () => {
    const counts: Record<string, number> = {}
    for (let epoch = first; epoch < first + epochs; epoch++) {
      const shown = await readEpoch(week, epoch)
      const isIdle = shown?.status === 'closed' && shown.rounds === 0 && !shown.open_rounds
      const status = isIdle ? 'idle' : (shown?.status ?? 'none')
      counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }
  const isUnder = (counts: Record<string, number>) =>
    ['none', 'closed', 'attested', 'submitted'].some((status) => (counts[status] ?? 0) > 0)
  // Attempts come in turns, and each has its own leader.
  for (let tries = 0; tries < 12; tries++) {
    const counts = await statusOf()
    say(`Epochs: ${JSON.stringify(counts)}`)
    if (!isUnder(counts)) break
    await passUntil(week.time() + attempt_secs)
    await pause(5_000)
  }
  await passUntil(week.time() + defaultNetworkParams.vault_challenge_secs + 60)
  await waitForClocks(week)
  for (let tries = 0; tries < 10; tries++) {
    await claimThroughHub(week)
    await pause(3_000)
    const { released = 0, settled = 0 } = await statusOf()
    if (tries >= 2 && settled === 0) {
      say(`${released} epochs are released`)
      break
    }
  }
  say(`${await claimDirectly(week)} payouts are claimed with the proofs of the hub`)
  // Slashes whose window is over are executed, and fees are paid, on the schedule.
  await passUntil(week.time() + 2 * 3_600)
  await pause(15_000)
}

async function summarize(first: number) {
  const { client } = week.network
  const params = { path: { project_id: week.projectId } }
  const { manifest } = await unwrap(client.GET('/v1/projects/{project_id}/manifest', { params }))
  const { economics, work } = manifest.consensus
  const { vault } = await unwrap(client.GET('/v1/projects/{project_id}/economics', { params }))
  const rules = {
    projectId: week.projectId,
    epochSecs: work.epoch_secs,
    roundSecs: work.round_secs,
    economics,
    vault: vault.address,
  }
  const numbers = Array.from({ length: epochs }, (_, index) => first + index)
  const { differences, figures } = await checkWeek(week, rules, tasks, numbers)
  for (const text of differences) problem(text)
  const status = await unwrap(client.GET('/v1/status'))
  kept.push(noteMemory(epochs))
  const took = tasks.flatMap((task) => task.seconds ?? []).sort((a, b) => a - b)
  const at = (share: number) => Number(took[Math.floor((took.length - 1) * share)]?.toFixed(1))
  return {
    date: new Date().toISOString().slice(0, 10),
    epochs,
    seed,
    minutes: Math.round(seconds() / 60),
    tasks: tasks.length,
    seconds_until_final: { p50: at(0.5), p99: at(0.99), longest: at(1) },
    restarts: restarts.counts,
    changes,
    epochs_with_lagging_logs: logsLagged,
    logs_hidden: week.hubProxy.faults.get('logs_lag') ?? 0,
    log_differences: status.chain?.log_differences ?? null,
    status: status.status,
    late: status.late,
    ...figures,
    memory_mib: kept,
    problems,
  }
}

/** What processes have resident: the hub, the chain, and a node of each role that runs from the beginning. */
function noteMemory(index: number): Record<string, number> {
  const nodes = [...week.validators, ...week.miners].flatMap(({ node }) =>
    node.pid === null ? [] : [[node.name, Math.round(memory(node.pid, 'RssAnon'))] as const],
  )
  const own = listChildren().flatMap(({ program, pid }) =>
    program === 'workerd' || program === 'anvil'
      ? [[program, Math.round(memory(pid, 'VmRSS'))] as const]
      : [],
  )
  return { epoch: index, ...Object.fromEntries([...own, ...nodes]) }
}
