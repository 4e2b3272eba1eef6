/** What a node costs its machine while nobody asks it for anything: `npm run bench:node -- [seconds]`. Linux only. */
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { collector, echo } from '../../node-cli/testing/artifacts.ts'
import { buildInto } from '../../node-cli/testing/build.ts'
import { type ServingNode, startNodeProcess } from '../../node-cli/testing/node-process.ts'
import { memory } from '../process-memory.ts'

const seconds = Number(process.argv[2] ?? 60)
/** Of `/proc/<pid>/stat`, on every Linux that Node runs on. */
const ticksPerSecond = 100

const folder = await mkdtemp(path.join(tmpdir(), 'node-idle-'))
try {
  const dist = path.join(folder, 'dist')
  buildInto(dist)
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
  await node.kill()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function execute(node: ServingNode) {
  const body = { module: echo.address, function: 'echo', input: '{}' }
  return node.call('/execute', { method: 'POST', body })
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
