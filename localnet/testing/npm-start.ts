import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { probePort } from '../port.ts'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Started {
  child: ChildProcess
  /** Rejects when it ends before. */
  ready: Promise<void>
  exit: Promise<Ended>
  /** What was printed so far. */
  output: { stdout: string; stderr: string }
}

/** Local networks as a person at a keyboard starts them, in folders of their own. */
export class Starter {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'localnet-'))
  readonly #children = new Set<ChildProcess>()

  /** `npm start` without npm; or the script that is named, such as only what looks after the network. */
  run(args: readonly string[], { env = {}, script = 'scripts/nx.mjs' }: RunOptions = {}): Started {
    const [command, ...before] = commands[script]
    const child = spawn(command, [...before, ...args], {
      env: { ...process.env, LOCALNET_DIR: this.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
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

  /** The process of the network itself, which start.ts looks after. */
  networkPid(): number {
    return Number(readFileSync(path.join(this.folder, 'pid'), 'utf8'))
  }

  async clear(): Promise<void> {
    const ends = [...this.#children].map((child) => once(child, 'exit'))
    for (const child of this.#children) child.kill('SIGTERM')
    await Promise.all(ends)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export interface RunOptions {
  env?: Record<string, string>
  script?: keyof typeof commands
}

const commands = {
  npm: ['npm', 'start', '--'],
  'scripts/nx.mjs': ['node', 'scripts/nx.mjs', 'node', 'localnet/start.ts'],
  'localnet/start.ts': ['node', 'localnet/start.ts'],
  'examples/project/submit.ts': ['node', 'examples/project/submit.ts'],
} as const

export interface Ports {
  hub: number
  chain: number
  args: string[]
}

/** Two free ports, and arguments that name them; the networks of most tests have nothing in them. */
export async function freePorts(): Promise<Ports> {
  const [hub, chain] = [await probePort(0), await probePort(0)]
  return { hub, chain, args: ['--no-sample', '--port', String(hub), '--chain-port', String(chain)] }
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

/** The process of this name below another one. Linux only. */
export function childNamed(name: string, parent: number): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
  const found = children.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name)
  if (found === undefined) throw new Error(`no ${name} below ${parent}`)
  return Number(found)
}
