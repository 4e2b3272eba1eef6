/**
 * Measures what a miner costs its machine while it is connected to the relay of a hub and has no work, and how soon it answers
 * `GET /health` under load: `npm run bench -- node [seconds]`. It runs as its service starts it. The result goes into
 * `cost.json`. Linux only.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memory } from '../../chaos/network/process-memory.ts'
import { keptNodectl } from '../../node-cli/kept-build.ts'
import { allocatorEnvironment } from '../../node-cli/src/service/allocator-environment.ts'
import { collector, echo } from '../../testing/node/artifacts.ts'
import { startLinkHub } from '../../testing/node/link-hub.ts'
import { type NodeProcess, startNodeProcess } from '../../testing/node/node-process.ts'
import { quantile } from '../result.ts'

const seconds = Number(process.argv[2] ?? 60)
/** Of `/proc/<pid>/stat`, on every Linux that Node runs on. */
const ticksPerSecond = 100

/** When the threads that are not needed have ended. */
const restSeconds = 90
const result: Record<string, object | string> = { node: process.version }

const folder = await mkdtemp(path.join(tmpdir(), 'node-idle-'))
try {
  const dist = await keptNodectl()
  const startedMs = performance.now()
  const hub = await startLinkHub()
  const node = await startNodeProcess(dist, path.join(folder, 'node'), {
    flags: ['--hub-url', hub.origin],
    env: allocatorEnvironment,
  }).serving
  note('start', { until_it_serves_ms: Math.round(performance.now() - startedMs), cpu_ms: cpuMs(node) })
  await (await hub.connection()).next('ready')
  await idle(node, 'idle_after_the_start')
  for (const { address, bytes } of [echo, collector])
    await node.call(`/modules/${address}`, { method: 'PUT', body: bytes })
  await Promise.all(Array.from({ length: 200 }, () => execute(node)))
  await idle(node, 'idle_after_200_executions')
  await throughput(node, 2000, 16)
  await waits(node, 'alone', () => pause(5_000))
  await waits(node, 'beside_500_executions_at_once', () =>
    Promise.all(Array.from({ length: 500 }, () => execute(node))),
  )
  const large = { method: 'PUT', body: new Uint8Array(16 * 1024 * 1024) }
  await waits(node, 'beside_8_uploads_of_16_mib', async () => {
    for (let i = 0; i < 8; i++) await node.call(`/modules/${echo.address}`, large)
  })
  await pause((restSeconds - seconds) * 1000)
  await idle(node, `idle_${restSeconds}_s_after_all_of_this`)
  await node.kill()
  await hub.stop()
  writeFileSync(path.join(import.meta.dirname, 'cost.json'), `${JSON.stringify(result, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function execute(node: NodeProcess) {
  const body = { module: echo.address, function: 'echo', input: '{}' }
  return node.call('/execute', { method: 'POST', body })
}

/** Executions a second, each stored with its receipt before it is answered. */
async function throughput(node: NodeProcess, count: number, callers: number): Promise<void> {
  const startedMs = performance.now()
  const cpuBefore = cpuMs(node)
  let left = count
  const caller = async (): Promise<void> => {
    while (left-- > 0) await execute(node)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  note(`${count}_executions_from_${callers}_callers`, {
    per_second: Math.round((count * 1000) / (performance.now() - startedMs)),
    cpu_ms_each: Number(((cpuMs(node) - cpuBefore) / count).toFixed(1)),
  })
}

/** How long `GET /health` takes while `work` goes on. */
async function waits(node: NodeProcess, when: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  let isOver = false
  const worked = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const startedMs = performance.now()
    await node.call('/health')
    times.push(performance.now() - startedMs)
  }
  await worked
  const at = (share: number) => Math.round(quantile(times, share))
  note(`health_${when}`, { median_ms: at(0.5), p99_ms: at(0.99), longest_ms: at(1) })
}

async function idle(node: NodeProcess, when: string): Promise<void> {
  const before = cpuMs(node)
  await pause(seconds * 1000)
  note(when, {
    cpu_ms_per_second: Number(((cpuMs(node) - before) / seconds).toFixed(1)),
    resident_mib: Math.round(memory(node.pid, 'VmRSS')),
    of_its_own_mib: Math.round(memory(node.pid, 'RssAnon')),
  })
}

function note(name: string, figures: object): void {
  result[name] = figures
  console.log(name, JSON.stringify(figures))
}

function cpuMs({ pid }: NodeProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
