/**
 * How many tasks become final, and what one costs: `npm run bench -- rounds [tasks] [projects] [seed]`. A real hub and a real
 * chain; miners and validators are simulated in this process, with real signatures. Writes bench/rounds/load-<projects>.json.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRoundsNetwork } from '../../chaos/rounds/network.ts'
import { finishTasks, submitTask } from '../../chaos/rounds/tasks.ts'
import { cpuMs, ownWorkerds } from '../../testing/workerd.ts'
import { keepFilesInMemory } from '../files-in-memory.ts'
import { readCounts, rounded, writeResult } from '../result.ts'
import { countFallbacks, failOver, percentiles, wrongOf } from './ended-tasks.ts'

const { tasks, projects, seed } = readCounts('rounds', { tasks: 200, projects: 1, seed: 1 })
/** Fewer than the slots of the devices of one project: who is asked for more has to decline. */
const atOnceMax = 50
const aloneTasks = 30
const idleSecs = 10
const filesInMemory = keepFilesInMemory()
const startedMs = performance.now()
const onProgress = (text: string) =>
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${text}`)

const network = await startRoundsNetwork({ projects, slots: 64, isTimeOfMachine: true, onProgress })
try {
  const cpu = () => cpuMs(ownWorkerds())
  const load = loadavg()[0]!
  const idleCpu = cpu()
  await sleep(idleSecs * 1_000)
  const idle = (cpu() - idleCpu) / idleSecs
  const aloneCpu = cpu()
  const alone = await measureAlone()
  const begun = { cpu: cpu(), ms: performance.now() }
  const ended = await finishTasks(network, { label: `task ${seed}`, tasks, atOnce: atOnceMax })
  const seconds = (performance.now() - begun.ms) / 1000
  const spentMs = cpu() - begun.cpu
  const wrong = wrongOf(ended)
  writeResult(`bench/rounds/load-${projects}.json`, {
    tasks,
    projects,
    at_once: Math.min(tasks, atOnceMax),
    devices: network.miners.length,
    validators: network.validators.nodes.length,
    final_as_expected: ended.length - wrong.length,
    run_by_validators: network.validators.ran.size,
    files_in_memory: filesInMemory,
    load_average: { before: rounded(load), after: rounded(loadavg()[0]!) },
    seconds: rounded(seconds),
    tasks_per_second: rounded(tasks / seconds),
    workerd_cpu_ms: {
      per_task: rounded(spentMs / tasks),
      /** The hub follows its chain all the time; `per_task` includes this. */
      per_second_without_tasks: rounded(idle),
      per_task_beyond_that: rounded((spentMs - idle * seconds) / tasks),
      /** CPU of the first tasks, which run one after the other and also warm the hub up. */
      per_task_alone: rounded((begun.cpu - aloneCpu) / aloneTasks),
    },
    ms_until_final: percentiles(ended.map(({ ms }) => ms)),
    one_at_a_time: alone,
  })
  failOver(wrong, countFallbacks(network))
} finally {
  await network.stop()
}
process.exit()

/** One task after the other, as a caller sees it that waits until the committee agrees; beside the bare way there and back. */
async function measureAlone() {
  const project = network.projects[0]!
  const agreed: number[] = []
  const trips: number[] = []
  for (let index = 0; index < aloneTasks; index += 1) {
    trips.push(await network.miners[0]!.roundTrip())
    const begunMs = performance.now()
    const name = `alone-${seed}-${index}`
    const { status } = await submitTask(network, project, name, name, '?wait=30&accept=agreed')
    if (status !== 'committee_agreed' && status !== 'finalized')
      throw new Error(`a task that was alone is ${status}`)
    agreed.push(performance.now() - begunMs)
  }
  return { tasks: aloneTasks, ms_until_agreed: percentiles(agreed), websocket_ms: percentiles(trips) }
}
