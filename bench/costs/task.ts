/**
 * Counts what one task uses while many run: `npm run bench -- task [tasks] [projects]`. Writes bench/costs/task.json, from which
 * `npm run bench -- costs` calculates. `npm run -s bench:task -- [tasks] --json` writes nothing, and prints the sums.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../chaos/harness/time.ts'
import { type RoundsNetwork, startRoundsNetwork } from '../../chaos/rounds/network.ts'
import { cpuMs, ownWorkerds } from '../../testing/workerd.ts'
import { keepFilesInMemory } from '../files-in-memory.ts'
import { readCounts, writeResult } from '../result.ts'
import { countFallbacks, wrongOf } from '../rounds/ended-tasks.ts'
import { runSteadily } from '../rounds/steady.ts'
import { countedHub } from './counted-hub.ts'
import { hubShare } from './hub-share.ts'
import { costOf, objectRowsWritten, type PerTask, taskUnits } from './kinds.ts'

const isJson = process.argv.includes('--json')
// Standard output has the result, not the logs of workerd.
if (isJson) console.log = console.error
process.argv = process.argv.filter((argument) => argument !== '--json')
const { tasks, projects } = readCounts('task', { tasks: 200, projects: 1 })
/** As many as it takes until V8 has compiled what it has on a hub that runs for an hour. */
const firstTasks = 1_000
/** A moment in which V8 collects much or little should not decide. */
const cpuTasksMin = 500
/** Tasks that come in a second: as many as the machine keeps up with, see `bench/rounds/rate.ts`. */
const rate = 25
const idleSecs = 20
/** Callers have their results before the last rounds are in lists, and forgotten. */
const tailMs = 3_000
const cpuTasks = Math.max(tasks, cpuTasksMin)
keepFilesInMemory()

const counted = await onNetwork({ front: countedHub }, countTasks)
// Counting costs time, so the processor is measured without it.
const cpuWithSimulator = await onNetwork({}, measureCpu)
// And looking at what runs costs time as well.
const share = await onNetwork({ inspectorPort: 0 }, measureShare)
const cpu = cpuWithSimulator * share
if (isJson) {
  const { perTask } = counted
  const sum = (...names: string[]) => names.reduce((all, name) => all + (perTask[name] ?? 0), 0)
  const rounded = (value: number) => Number(value.toFixed(2))
  const result = {
    d1RowsWritten: perTask['D1.rowsWritten'] ?? 0,
    d1Trips: perTask['D1.trip'] ?? 0,
    objectRowsWritten: objectRowsWritten(perTask),
    validatorRequests: sum('outside.request', 'Worker.requestOfNode', 'validators.frame'),
    cpuMs: cpu,
    cpuMsWithSimulator: cpuWithSimulator,
    costPerMillion: costOf({ units: taskUnits(perTask, cpu) }),
  }
  const entries = Object.entries(result).map(([key, value]) => [key, rounded(value)])
  process.stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`)
} else {
  const { perTask, ...about } = counted
  writeResult('bench/costs/task.json', {
    ...{ tasks, projects, tasks_per_second: rate, ...about },
    cpu_ms: Number(cpu.toFixed(1)),
    cpu_ms_with_simulator: Number(cpuWithSimulator.toFixed(1)),
    per_task: perTask,
  })
}
process.exit()

async function onNetwork<T>(
  options: Pick<Parameters<typeof startRoundsNetwork>[0], 'front' | 'inspectorPort'>,
  measure: (network: RoundsNetwork) => Promise<T>,
): Promise<T> {
  const network = await startRoundsNetwork({
    ...{ projects, slots: 64, isTimeOfMachine: true, onProgress: console.error },
    ...options,
  })
  try {
    // Everything that the first tasks load, open and have compiled.
    await run(network, 'first', firstTasks)
    return await measure(network)
  } finally {
    await network.stop()
  }
}

async function countTasks(network: RoundsNetwork) {
  const settled = await ended(network, firstTasks)
  await sleep(idleSecs * 1_000)
  const before = await counts(network)
  const idle = difference(settled, before)
  const begunMs = performance.now()
  await run(network, 'counted', tasks)
  const after = await ended(network, firstTasks + tasks)
  const seconds = (performance.now() - begunMs) / 1_000
  const perTask: PerTask = Object.fromEntries(
    Object.entries(difference(before, after))
      // Work that the hub does without tasks, such as following the chain, is not counted for them.
      .map(([name, count]): [string, number] => {
        const own = (count - ((idle[name] ?? 0) / idleSecs) * seconds) / tasks
        return [name, Number(own.toFixed(2))]
      })
      .filter(([, count]) => count >= 0.05)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  return { validators: network.validators.nodes.length, perTask }
}

/** Milliseconds of the processor that workerd uses for one final task, beyond what it uses without tasks. */
async function measureCpu(network: RoundsNetwork): Promise<number> {
  const spent = () => cpuMs(ownWorkerds())
  await sleep(tailMs)
  const before = spent()
  await sleep(idleSecs * 1_000)
  const idle = (spent() - before) / idleSecs
  const begun = { cpu: spent(), ms: performance.now() }
  await run(network, 'measured', cpuTasks)
  await sleep(tailMs)
  const seconds = (performance.now() - begun.ms) / 1_000
  return (spent() - begun.cpu - idle * seconds) / cpuTasks
}

/** The part of it that is the hub's own, and not of the simulation of the platform. */
async function measureShare(network: RoundsNetwork): Promise<number> {
  return hubShare(await network.inspector(), () => run(network, 'seen', cpuTasks))
}

/** Runs tasks of which nothing goes wrong, else what they use is another thing. */
async function run(network: RoundsNetwork, label: string, tasks: number): Promise<void> {
  const { ended } = await runSteadily(network, { label, tasks, rate })
  const [wrong, fallbacks] = [wrongOf(ended), countFallbacks(network)]
  if (wrong.length > 0 || fallbacks > 0)
    throw new Error(`of the tasks ${label}, ${wrong.length} ended otherwise; ${fallbacks} had no committee`)
}

async function counts(network: RoundsNetwork): Promise<Record<string, number>> {
  const response = await fetch(new URL('/counts', network.origin))
  return (await response.json()) as Record<string, number>
}

/** The counts once the objects of at least `rounds` rounds have forgotten their rounds. */
async function ended(network: RoundsNetwork, rounds: number): Promise<Record<string, number>> {
  let found: Record<string, number> = {}
  await until('the objects of all rounds are empty', async () => {
    found = await counts(network)
    return (found['Round.end'] ?? 0) >= rounds
  })
  return found
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
}
