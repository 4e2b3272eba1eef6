/**
 * What a node costs its machine while nobody asks it for anything, and how soon it says that it is well while it is asked
 * for much: `npm run bench:node -- [seconds]`. Linux only.
 */
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keptNodectl } from '../../node-cli/kept-build.ts'
import { collector, echo } from '../../node-cli/testing/artifacts.ts'
import { type ServingNode, startNodeProcess } from '../../node-cli/testing/node-process.ts'
import { memory } from '../process-memory.ts'

const seconds = Number(process.argv[2] ?? 60)
/** Of `/proc/<pid>/stat`, on every Linux that Node runs on. */
const ticksPerSecond = 100

const folder = await mkdtemp(path.join(tmpdir(), 'node-idle-'))
try {
  const dist = await keptNodectl()
  const startedMs = performance.now()
  const node = await startNodeProcess(dist, path.join(folder, 'node')).serving
  console.log(
    `start: ${Math.round(performance.now() - startedMs)} ms until it serves, ${cpuMs(node)} ms of CPU`,
  )
  await idle(node, 'after the start')
  for (const { address, bytes } of [echo, collector])
    await node.call(`/modules/${address}`, { method: 'PUT', body: bytes })
  await Promise.all(Array.from({ length: 200 }, () => execute(node)))
  await idle(node, 'after 200 executions')
  await throughput(node, 2000, 16)
  await waits(node, 'alone', () => pause(5_000))
  await waits(node, 'beside 500 executions at once', () =>
    Promise.all(Array.from({ length: 500 }, () => execute(node))),
  )
  const large = { method: 'PUT', body: new Uint8Array(16 * 1024 * 1024) }
  await waits(node, 'beside 8 uploads of 16 MiB, which are no artifacts', async () => {
    for (let i = 0; i < 8; i++) await node.call(`/modules/${echo.address}`, large)
  })
  await node.kill()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function execute(node: ServingNode) {
  const body = { module: echo.address, function: 'echo', input: '{}' }
  return node.call('/execute', { method: 'POST', body })
}

/** Executions a second, each stored with its receipt before it is answered. */
async function throughput(node: ServingNode, count: number, callers: number): Promise<void> {
  const startedMs = performance.now()
  const cpuBefore = cpuMs(node)
  let left = count
  const caller = async (): Promise<void> => {
    while (left-- > 0) await execute(node)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const perSecond = Math.round((count * 1000) / (performance.now() - startedMs))
  const each = ((cpuMs(node) - cpuBefore) / count).toFixed(1)
  console.log(`${count} executions from ${callers} callers: ${perSecond} a second, ${each} ms of CPU each`)
}

/** How long `GET /health` takes while `work` goes on. */
async function waits(node: ServingNode, when: string, work: () => Promise<unknown>): Promise<void> {
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
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]!.toFixed(0)
  console.log(`health ${when}: median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, longest ${at(1)} ms`)
}

async function idle(node: ServingNode, when: string): Promise<void> {
  const before = cpuMs(node)
  await pause(seconds * 1000)
  const used = (cpuMs(node) - before) / seconds
  console.log(
    `${when}: ${used.toFixed(1)} ms of CPU a second, ${memory(node.pid, 'VmRSS').toFixed(0)} MiB resident`,
  )
}

function cpuMs({ pid }: ServingNode): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
