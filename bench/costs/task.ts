/**
 * What one task uses, counted while many run: `npm run bench -- task [tasks] [projects]`. Writes bench/costs/task.json, which
 * `npm run bench -- costs` reckons with.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../chaos/harness/time.ts'
import { startRoundsNetwork } from '../../chaos/rounds/network.ts'
import { finishTasks } from '../../chaos/rounds/tasks.ts'
import { readCounts, writeResult } from '../result.ts'
import { countedHub } from './counted-hub.ts'

const { tasks, projects } = readCounts('task', { tasks: 200, projects: 1 })
const idleSecs = 20

const network = await startRoundsNetwork({
  projects,
  slots: 64,
  front: countedHub,
  onProgress: console.log,
})
try {
  // Everything that a first task loads and opens.
  await finishTasks(network, { label: 'first', tasks: 30, atOnce: 10 })
  const settled = await ended(30)
  await sleep(idleSecs * 1_000)
  const before = await counts()
  const idle = difference(settled, before)
  const begunMs = performance.now()
  const results = await finishTasks(network, { label: 'counted', tasks, atOnce: 20 })
  const after = await ended(30 + tasks)
  const seconds = (performance.now() - begunMs) / 1_000
  const used = difference(before, after)
  const perTask = Object.fromEntries(
    Object.entries(used)
      // Work that the hub does without tasks, such as following the chain, is not counted for them.
      .map(([name, count]): [string, number] => {
        const own = (count - ((idle[name] ?? 0) / idleSecs) * seconds) / tasks
        return [name, Number(own.toFixed(2))]
      })
      .filter(([, count]) => count >= 0.05)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  const final = results.filter(({ task }) => task.status === 'finalized').length
  const validators = network.validators.nodes.length
  writeResult('bench/costs/task.json', { tasks, projects, validators, final, per_task: perTask })
} finally {
  await network.stop()
}
process.exit()

async function counts(): Promise<Record<string, number>> {
  const response = await fetch(new URL('/counts', network.origin))
  return (await response.json()) as Record<string, number>
}

/** The counts once the objects of so many rounds have forgotten them. */
async function ended(rounds: number): Promise<Record<string, number>> {
  let found: Record<string, number> = {}
  await until('the objects of all rounds are empty', async () => {
    found = await counts()
    return (found['Round.end'] ?? 0) >= rounds
  })
  return found
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
}
