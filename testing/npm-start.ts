import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pickPort } from '../localnet/port.ts'
import { listProcesses, type Process } from '../localnet/processes.ts'
import type { Ended } from './run-tool.ts'

export interface Started {
  child: ChildProcess
  /** Rejects when it ends before. */
  ready: Promise<void>
  exit: Promise<Ended>
  /** The output so far. */
  output: { stdout: string; stderr: string }
}

export const childrenOf = ({ child }: Started): Process[] =>
  listProcesses().filter(({ parent }) => parent === child.pid)

/** Local networks as a person at a keyboard starts them, one after the other over one folder. */
export class NpmStart {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'localnet-'))
  readonly #children = new Set<ChildProcess>()

  /** @param through what runs it: npm, the wrapper that npm runs, or only the network itself. */
  run(
    args: readonly string[],
    { env = {}, through = 'start.ts', ownGroup = false }: RunOptions = {},
  ): Started {
    const [command, ...before] = commands[through]
    const child = spawn(command, [...before, ...args], {
      env: { ...process.env, LOCALNET_DIR: this.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: ownGroup,
    })
    this.#children.add(child)
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => (output.stdout += text))
    child.stderr.on('data', (text) => (output.stderr += text))
    const exit = once(child, 'exit').then(async ([code]) => {
      this.#children.delete(child)
      return { code, ...output }
    })
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => output.stdout.includes('is ready') && resolve())
      exit.then(({ stderr }) => reject(new Error(`stopped before it was ready: ${stderr}`)))
    })
    ready.catch(() => {})
    return { child, ready, exit, output }
  }

  /** Runs it, and returns once it is ready. */
  async start(args: readonly string[], options?: RunOptions): Promise<Started> {
    const started = this.run(args, options)
    await started.ready
    return started
  }

  /** The process of the network. */
  networkPid(): number {
    return Number(readFileSync(path.join(this.folder, 'localnet.pid'), 'utf8'))
  }

  /** Every process that was started for the folder, however far from the first one. Linux only. */
  listProcesses(): Process[] {
    return listProcessesWith(`LOCALNET_DIR=${this.folder}`)
  }

  async clear(): Promise<void> {
    const ends = [...this.#children].map((child) => once(child, 'exit'))
    for (const child of this.#children) child.kill('SIGTERM')
    await Promise.all(ends)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Every process that was started with a setting in its environment. Linux only. */
export const listProcessesWith = (setting: string): Process[] =>
  listProcesses().filter(({ pid }) => environmentOf(pid).includes(setting))

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It is of another user, or has ended meanwhile.
    return []
  }
}

export interface RunOptions {
  /** Whether it is a process group, as the programs of a terminal are: Ctrl-C is a signal to all of it. */
  ownGroup?: boolean
  env?: Record<string, string>
  through?: keyof typeof commands
}

const commands = {
  npm: ['npm', 'start', '--'],
  'npm, without --': ['npm', 'start'],
  'nx.mjs': ['node', 'scripts/nx.mjs', 'node', 'localnet/start.ts'],
  'start.ts': ['node', 'localnet/start.ts'],
} as const

export interface Ports {
  hub: number
  chain: number
  args: string[]
}

/** Two free ports, and arguments that name them; the networks of most tests have neither sample data nor nodes. */
export async function freePorts(): Promise<Ports> {
  const [hub, chain] = [await pickPort(), await pickPort()]
  return {
    hub,
    chain,
    args: ['--no-sample', '--no-nodes', '--port', String(hub), '--chain-port', String(chain)],
  }
}

/** Whether a program of this machine takes connections there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (listens: boolean) => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}
