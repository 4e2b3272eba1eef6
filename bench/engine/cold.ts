import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { median } from '../result.ts'

/** Milliseconds of CPU of whole processes, medians. */
export interface ColdTimes {
  readonly node: number
  readonly commands: readonly CommandTimes[]
  /** Processes that wanted to run in the last minute. */
  readonly load: number
}

export interface CommandTimes {
  readonly name: string
  /** The first start of all: no compiled code is kept from an earlier one. */
  readonly first: number
  readonly later: number
}

interface Command {
  readonly name: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

const rounds = 21
/** The shell says what a child took, to its very end: what it compiled is written after its last handler. */
const timing = `TIMEFORMAT='%3U %3S'; time "$@" > /dev/null`

/** Starts the tool as its operator does, in turn with Node alone. */
export function measureCold(): ColdTimes {
  const folder = mkdtempSync(path.join(tmpdir(), 'cold-'))
  try {
    const commands = commandsIn(folder)
    const empty = path.join(folder, 'empty.mjs')
    writeFileSync(empty, '')
    const warm = newHome(folder)
    // The first start keeps what it compiled, the second one also what only a slower first one left out.
    for (const { args, env } of [...commands, ...commands]) cpuOf(args, warm, env)
    const node: number[] = []
    const times = commands.map((command) => ({ command, first: [] as number[], later: [] as number[] }))
    for (let round = 0; round < rounds; round++) {
      node.push(cpuOf([empty], warm))
      for (const { command, first, later } of times) {
        later.push(cpuOf(command.args, warm, command.env))
        first.push(cpuOf(command.args, newHome(folder), command.env))
      }
    }
    return {
      node: median(node),
      commands: times.map(({ command, first, later }) => ({
        name: command.name,
        first: median(first),
        later: median(later),
      })),
      load: loadavg()[0]!,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function commandsIn(folder: string): Command[] {
  const dist = path.join(folder, 'dist')
  run(['node-cli/build.ts'], { NODECTL_DIST: dist })
  const nodectl = path.join(dist, 'nodectl.mjs')
  const echo = path.join(folder, 'echo.hbc')
  writeFileSync(echo, echoArtifact().bytes)
  const hello = path.join(folder, 'hello.hbc')
  // The project's own copy of the compiler, in the place of the one that is installed with npm on first use.
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  run([nodectl, 'compile', 'examples/hello.ts', '--out', hello], { NODE_ASC_HOME: folder })
  const greet = [nodectl, 'run', hello, 'greet', '--input', 'Ada']
  return [
    { name: 'nodectl --version', args: [nodectl, '--version'] },
    { name: 'nodectl --help', args: [nodectl, '--help'] },
    { name: 'nodectl run of the example hello', args: greet },
    { name: 'the same, NODE_ENGINE=pulley', args: greet, env: { NODE_ENGINE: 'pulley' } },
    {
      name: 'nodectl run of the echo module, 205 bytes',
      args: [nodectl, 'run', echo, 'echo', '--input', '{"msg":"hi"}'],
    },
  ]
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(stderr)
}

const newHome = (folder: string): string => mkdtempSync(path.join(folder, 'home-'))

/** Runs a process to its end, with nothing of this one's environment. @returns Its milliseconds of CPU, those of all its threads. */
function cpuOf(args: readonly string[], home: string, env: NodeJS.ProcessEnv = {}): number {
  const { status, stderr } = spawnSync('bash', ['-c', timing, 'bash', process.execPath, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(stderr)
  return 1000 * stderr.split(' ').reduce((sum, seconds) => sum + Number(seconds), 0)
}
