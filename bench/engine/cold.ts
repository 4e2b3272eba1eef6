import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'

/** Milliseconds of CPU of a whole process, medians. */
export interface ColdTimes {
  readonly node: number
  readonly version: number
  readonly run: number
  readonly interpreted: number
}

const rounds = 21
/** What a process says of itself when it ends; its threads load it too, and have nothing to say. */
const reporting = `if (require('node:worker_threads').isMainThread)
  process.on('exit', () => require('node:fs').writeSync(3, JSON.stringify(process.cpuUsage())))`

/** Starts the tool as it is published, in turn with Node alone. */
export function measureCold(): ColdTimes {
  const folder = mkdtempSync(path.join(tmpdir(), 'cold-'))
  try {
    const report = path.join(folder, 'report.cjs')
    writeFileSync(report, reporting)
    const start = (args: string[], env?: NodeJS.ProcessEnv) => cpuOf(report, args, env)
    const dist = path.join(folder, 'dist')
    start(['node-cli/build.ts'], { NODECTL_DIST: dist })
    const artifact = path.join(folder, 'echo.hbc')
    writeFileSync(artifact, echoArtifact().bytes)
    const empty = path.join(folder, 'empty.mjs')
    writeFileSync(empty, '')
    const nodectl = path.join(dist, 'nodectl.mjs')
    const run = [nodectl, 'run', artifact, 'echo', '--input', '{"msg":"hi"}']
    const commands: Record<keyof ColdTimes, () => number> = {
      node: () => start([empty]),
      version: () => start([nodectl, '--version']),
      run: () => start(run),
      interpreted: () => start(run, { NODE_ENGINE: 'pulley' }),
    }
    const times: Record<keyof ColdTimes, number[]> = { node: [], version: [], run: [], interpreted: [] }
    for (let round = 0; round < rounds; round++)
      for (const name of Object.keys(commands) as (keyof ColdTimes)[]) times[name].push(commands[name]())
    const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
    return {
      node: median(times.node),
      version: median(times.version),
      run: median(times.run),
      interpreted: median(times.interpreted),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a process to its end. @returns Its milliseconds of CPU, those of all its threads. */
function cpuOf(report: string, args: string[], env: NodeJS.ProcessEnv = {}): number {
  const { status, stderr, output } = spawnSync(process.execPath, ['--require', report, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(stderr)
  const { user, system } = JSON.parse(output[3]!) as NodeJS.CpuUsage
  return (user + system) / 1000
}
