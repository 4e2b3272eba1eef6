/**
 * Whether a network of real nodes loses a task while its nodes end and come back, and whether they grow: `npm run soak --
 * [minutes] [seed]`. Writes bench/node/soak-<seed>.json; exits 1 when a task is lost, an honest device accused, a node ends by
 * itself, or does not stop when it is told to. Linux only.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import type { LocalNode } from '../../localnet/nodes/local-node.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import { draws } from '../draws.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { memory } from '../process-memory.ts'
import { startNodeNetwork } from './network.ts'
import { countAccusations } from './soak/accusations.ts'
import { drawTurn } from './soak/disturbances.ts'
import { type MemorySample, memoryTrend } from './soak/memory-trend.ts'
import { drawInput, type EndedTask, endOfTask, giveTask } from './soak/tasks.ts'

const [minutes = 30, seed = 1] = process.argv.slice(2).map(Number)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run soak -- [minutes, above 0] [seed, a whole number]')
  process.exit(2)
}
const file = `bench/node/soak-${seed}.json`
const taskEachMs = 2_000
const sampleEachMs = 10_000
/** So often nobody gives a task, for as long as nodes need to end idle threads and to collect what work has left. */
const restEachMs = 10 * 60_000
const restMs = 90_000

const folder = mkdtempSync(path.join(tmpdir(), 'node-soak-'))
const startedMs = performance.now()
const say = (text: string) => console.log(`${Math.round((performance.now() - startedMs) / 1000)} s: ${text}`)
const problems: string[] = []
const problem = (text: string) => {
  problems.push(text)
  console.error(text)
}

const soak = await startNodeNetwork({
  folder,
  miners: 5,
  hub: { inspectorPort: 0 },
  // An epoch ends, and is settled, in the middle of it.
  untilEpochEnd: minutes * 30,
  programs: [{ dist: await builtNodectl() }],
  onLoss: ({ name, plan }) => problem(`${name} ended by itself: ${plan.logFile}`),
})
const nodes = [...soak.validators, ...soak.miners]
/** The others run from the beginning to the end, so that what they take shows whether they grow. */
const undisturbed = [soak.validators[0]!, soak.miners[0]!]
const disturbed = nodes.filter((node) => !undisturbed.includes(node))
say(`${nodes.length} nodes serve; logs are in ${folder}`)

const endMs = performance.now() + minutes * 60_000
const goesOn = () => performance.now() < endMs
const ends = { SIGTERM: 0, SIGKILL: 0 }
const samples = new Map<string, MemorySample[]>()
/** What processes keep at each rest, in MiB: of a node what is its own, of the hub the heap of its isolate. */
const kept: Record<string, number>[] = []
let isResting = false
let disturbing: Promise<unknown> = Promise.resolve()
try {
  const [given] = await Promise.all([giveTasks(), disturb(), sampleMemory()])
  say('No more tasks are given')
  const ended = await Promise.all(given.tasks)
  await rest(ended)
  const result = await summarize(ended, given.refused)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  console.log(JSON.stringify(result, null, 2))
} finally {
  await soak.stop()
  // Logs of what went wrong are looked at.
  if (problems.length === 0) rmSync(folder, { recursive: true })
}
process.exit(problems.length === 0 ? 0 : 1)

async function giveTasks() {
  const random = draws(seed)
  const tasks: Promise<EndedTask>[] = []
  let refused = 0
  let restAtMs = performance.now() + restEachMs
  for (let index = 0; goesOn(); index += 1) {
    if (performance.now() >= restAtMs) {
      await rest(tasks)
      restAtMs = performance.now() + restEachMs
    }
    const input = drawInput(random, index)
    const task = await giveTask(soak, input)
    if (task === null) refused += 1
    else tasks.push(endOfTask(soak, task, input))
    if (index % 40 === 0)
      say(`${index} tasks given, ${refused} refused; ${ends.SIGTERM + ends.SIGKILL} ends of nodes`)
    await pause(Math.max(0, taskEachMs - ((performance.now() - startedMs) % taskEachMs)))
  }
  return { tasks, refused }
}

async function rest(tasks: readonly (EndedTask | Promise<EndedTask>)[]): Promise<void> {
  isResting = true
  await Promise.all([...tasks, disturbing])
  await pause(restMs)
  const isolate = await IsolateMemory.open(await soak.hub.miniflare.getInspectorURL())
  const own = undisturbed.flatMap(({ name, pid }) =>
    pid === null ? [] : [[name, Math.round(memory(pid, 'RssAnon'))]],
  )
  kept.push({ ...Object.fromEntries(own), hub: Math.round(await isolate.kept()) })
  isolate.close()
  say(`At rest, in MiB: ${JSON.stringify(kept.at(-1))}`)
  isResting = false
}

async function disturb(): Promise<void> {
  const random = draws(seed + 1)
  while (goesOn()) {
    const { afterMs, disturbances } = drawTurn(random, disturbed.length)
    await pause(afterMs)
    if (isResting) continue
    disturbing = Promise.all(
      disturbances.map(async ({ node: index, signal, downMs }) => {
        const node = disturbed[index] as LocalNode
        ends[signal] += 1
        say(`${signal} to ${node.name}`)
        if (signal === 'SIGKILL') await node.kill()
        else if ((await node.stop()) !== 0) problem(`${node.name} does not stop when it is told to.`)
        await pause(downMs)
        await node.start().catch((error: Error) => problem(error.message))
      }),
    )
    await disturbing
  }
}

async function sampleMemory(): Promise<void> {
  for (; goesOn(); await pause(sampleEachMs)) {
    // What nodes give back at rest says nothing of how they grow.
    if (isResting) continue
    const ms = performance.now()
    const processes = [
      ...undisturbed.map(({ name, pid }) => ({ name, pid })),
      ...ownWorkerds().map((pid) => ({ name: 'hub', pid })),
    ]
    for (const { name, pid } of processes)
      if (pid !== null) samples.set(name, [...(samples.get(name) ?? []), { ms, mib: memory(pid, 'VmRSS') }])
  }
}

async function summarize(ended: readonly EndedTask[], refused: number) {
  const lost = ended.filter(({ isHonest }) => !isHonest)
  for (const task of lost) problem(`A task is lost: ${JSON.stringify(task)}`)
  const accusations = await countAccusations(soak)
  for (const [kind, count] of Object.entries(accusations))
    if (kind !== 'missed_sla') problem(`${count} accusations of ${kind}, and everybody is honest`)
  const seconds = ended.map((task) => task.seconds).sort((a, b) => a - b)
  const at = (share: number) => Number(seconds[Math.floor((seconds.length - 1) * share)]?.toFixed(1))
  const ways: Record<string, number> = {}
  for (const { way } of ended) ways[way] = (ways[way] ?? 0) + 1
  return {
    date: new Date().toISOString().slice(0, 10),
    minutes,
    seed,
    validators: soak.validators.length,
    miners: soak.miners.length,
    told_to_stop: ends.SIGTERM,
    killed: ends.SIGKILL,
    tasks: ended.length,
    refused,
    final_and_honest: ended.length - lost.length,
    lost: lost.length,
    ways,
    seconds_until_final: { p50: at(0.5), p99: at(0.99), longest: at(1) },
    accusations,
    kept_at_rests_mib: kept,
    memory_mib: Object.fromEntries([...samples].map(([name, of]) => [name, memoryTrend(of)])),
    problems,
  }
}
