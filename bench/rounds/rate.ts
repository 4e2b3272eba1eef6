/**
 * Whether the hub keeps up with tasks that come at a steady rate: `npm run bench -- rate [tasks a second] [minutes] [projects]`.
 * As in `load.ts`, hub and chain are real, and miners and validators are simulated in this process. A task comes at its
 * time, whether or not those before it have ended. Writes bench/rounds/rate-<tasks a second>.json.
 */
import { loadavg } from 'node:os'
import { startRoundsNetwork } from '../../chaos/rounds/network.ts'
import { cpuMs, ownProcesses, ownWorkerds } from '../../testing/workerd.ts'
import { keepFilesInMemory } from '../files-in-memory.ts'
import { readCounts, rounded, writeResult } from '../result.ts'
import { countFallbacks, failOver, percentiles, wrongOf } from './ended-tasks.ts'
import { runSteadily } from './steady.ts'

const { rate, minutes, projects } = readCounts('rate', { rate: 25, minutes: 10, projects: 1 })
const tasks = rate * minutes * 60
const filesInMemory = keepFilesInMemory()
const startedMs = performance.now()
const onProgress = (text: string) =>
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${text}`)

const network = await startRoundsNetwork({ projects, slots: 64, isTimeOfMachine: true, onProgress })
try {
  const load = loadavg()[0]!
  const processes = { workerd: ownWorkerds(), chain: ownProcesses('anvil') }
  const cpu = () => ({
    workerd: cpuMs(processes.workerd),
    chain: cpuMs(processes.chain),
    nodes_and_callers: cpuMs([process.pid]),
  })
  const begunCpu = cpu()
  const begunMs = performance.now()
  const perMinute = rate * 60
  const underWayMax = Array<number>(minutes).fill(0)
  let underWay = 0
  const { ended, lateMs } = await runSteadily(network, {
    ...{ label: 'rate', tasks, rate },
    onTask(index, isOver) {
      underWay += isOver ? -1 : 1
      const minute = Math.floor(index / perMinute)
      underWayMax[minute] = Math.max(underWayMax[minute]!, underWay)
      if (isOver && (index + 1) % perMinute === 0)
        onProgress(`${index + 1} of ${tasks} tasks, ${underWay} under way`)
    },
  })
  const seconds = (performance.now() - begunMs) / 1000
  const endedCpu = cpu()
  const wrong = wrongOf(ended)

  writeResult(`bench/rounds/rate-${rate}.json`, {
    tasks,
    projects,
    tasks_per_second: rate,
    final_as_expected: tasks - wrong.length,
    without_committee: countFallbacks(network),
    devices: network.miners.length,
    validators: network.validators.nodes.length,
    files_in_memory: filesInMemory,
    load_average: { before: rounded(load), after: rounded(loadavg()[0]!) },
    seconds: rounded(seconds),
    /** By how much the latest submission missed its time, as this process was busy. */
    submitted_late_ms_max: rounded(lateMs),
    cpu_ms_per_task: Object.fromEntries(
      Object.entries(endedCpu).map(([name, ms]) => [
        name,
        rounded((ms - begunCpu[name as keyof typeof begunCpu]) / tasks),
      ]),
    ),
    minutes: underWayMax.map((most, minute) => ({
      ms_until_final: percentiles(
        ended.slice(minute * perMinute, (minute + 1) * perMinute).map(({ ms }) => ms),
      ),
      under_way_max: most,
    })),
  })
  failOver(wrong, countFallbacks(network))
} finally {
  await network.stop()
}
process.exit()
