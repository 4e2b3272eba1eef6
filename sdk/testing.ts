/**
 * `@hub/client/testing`: a local network for the tests of programs that use one, with nothing in it that is simulated: a
 * chain, contracts, a hub in workerd, and nodes. For Node.js alone.
 *
 * @example
 * ```ts
 * const network = await startNetwork()
 * const hub = createHub({ url: network.hub.url })
 * const task = await hub.tasks.run('sample-echo', 'echo', { hello: 'world' })
 * await network.stop()
 * ```
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { resolveProfile } from '../protocol/identity/index.ts'

export interface NetworkOptions {
  /** Whether validators and devices run; without them no task is executed. */
  readonly nodes?: boolean
  /** Whether there is a sample project, with devices that work for it. */
  readonly sample?: boolean
  /** Port of the hub; any free one when left out. */
  readonly port?: number
  /** Milliseconds that the start may take; five minutes when left out. */
  readonly timeout?: number
  /** Ends the start. */
  readonly signal?: AbortSignal
}

export type AccountName = 'relayer' | 'operator' | 'developer' | 'miner' | 'treasury' | 'arbiter' | 'admin'

export interface Network {
  readonly hub: { readonly url: string }
  readonly chain: { readonly url: string; readonly id: number }
  /** Accounts with funds. Everybody has their keys. */
  readonly accounts: Readonly<Record<AccountName, { readonly address: string; readonly key: string }>>
  /** Id of the sample project; null without one. */
  readonly project_id: string | null
  /** Ends every process of it, and removes its data. */
  readonly stop: () => Promise<void>
}

const program = `@${resolveProfile().prefix}/testing`
const usualTimeout = 300_000

/** Starts a local network, with data of its own; it ends with this process at the latest. @throws with its error output. */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const { nodes = true, sample = true, port = 0, timeout = usualTimeout, signal } = options
  signal?.throwIfAborted()
  const file = locate()
  const folder = await mkdtemp(path.join(tmpdir(), 'network-'))
  // A network of tests does not run for so long that its blocks fill a disk.
  const chain = ['--chain-port', '0', '--block-time', '2']
  const args = ['--port', String(port), ...chain, ...(nodes ? [] : ['--no-nodes'])]
  // Other runtimes than Node.js run this part too; the network itself needs Node.js.
  const node = process.versions.bun || 'Deno' in globalThis ? 'node' : process.execPath
  const child = spawn(node, [file, ...args, ...(sample ? [] : ['--no-sample'])], {
    env: { ...process.env, LOCALNET_DIR: folder },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr!.on('data', (text) => {
    said = (said + String(text)).slice(-10_000)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', (error) => {
      said += error.message
      resolve()
    })
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const limit = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])])
  try {
    const [ready] = await Promise.race([
      once(child, 'message', { signal: limit }),
      ended.then(() => {
        throw new Error(`The local network did not start: ${said.trim()}`)
      }),
    ])
    return { ...(ready as Omit<Network, 'stop'>), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function locate(): string {
  try {
    return fileURLToPath(import.meta.resolve(`${program}/program`))
  } catch (cause) {
    throw new Error(
      `The local network is a package of its own. Install it: npm install --save-dev ${program}`,
      {
        cause,
      },
    )
  }
}
