import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'

/** Milliseconds of CPU of a whole process, medians. */
export interface ColdTimes {
  readonly node: number
  readonly version: number
  /** The example hello. */
  readonly hello: number
  readonly interpreted: number
  /** A module of 205 bytes, written by hand. */
  readonly smallest: number
  /** Processes that wanted to run in the last minute. */
  readonly load: number
}

type Command = Exclude<keyof ColdTimes, 'load'>

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
    const echo = path.join(folder, 'echo.hbc')
    writeFileSync(echo, echoArtifact().bytes)
    const empty = path.join(folder, 'empty.mjs')
    writeFileSync(empty, '')
    const nodectl = path.join(dist, 'nodectl.mjs')
    const hello = path.join(folder, 'hello.hbc')
    // The project's own copy of the compiler, in the place of the one that is installed with npm on first use.
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
    start([nodectl, 'compile', 'examples/hello.ts', '--out', hello], { NODE_ASC_HOME: folder })
    const greet = [nodectl, 'run', hello, 'greet', '--input', 'Ada']
    const commands: Record<Command, () => number> = {
      node: () => start([empty]),
      version: () => start([nodectl, '--version']),
      hello: () => start(greet),
      interpreted: () => start(greet, { NODE_ENGINE: 'pulley' }),
      smallest: () => start([nodectl, 'run', echo, 'echo', '--input', '{"msg":"hi"}']),
    }
    const names = Object.keys(commands) as Command[]
    const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Command, number[]>
    for (let round = 0; round < rounds; round++) for (const name of names) times[name].push(commands[name]())
    const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
    return {
      node: median(times.node),
      version: median(times.version),
      hello: median(times.hello),
      interpreted: median(times.interpreted),
      smallest: median(times.smallest),
      load: loadavg()[0]!,
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
