import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { allocatorEnvironment } from '../../node-cli/src/service/allocator-environment.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { StartError } from '../errors.ts'

export type NodeRole = 'miner' | 'validator'

/** Which node it is, and where it keeps what. */
export interface NodePlan {
  readonly name: string
  readonly role: NodeRole
  readonly dataDir: string
  readonly logFile: string
  readonly port: number
}

/** The settings that all nodes of a network share. */
export interface NodeSurroundings {
  /** The built tool. */
  readonly dist: string
  /** Path of the Node that runs it; left out, that of this process. */
  readonly node?: string
  /** Origin of the hub. */
  readonly hub: string
  readonly rpcUrl: string
  /** File with the names of the network; left out for the default ones. */
  readonly profile?: string
  /** File with changes of network parameters; left out, those that the tool knows. */
  readonly paramsChanges?: string
  /** Token of the operator's calls. */
  readonly apiToken: string
  /** Whether the nodes are out of reach of the terminal's signals, such as Ctrl-C. */
  readonly detached?: boolean
  /** Called when a process ends that nobody has told to. */
  readonly onLoss?: (node: LocalNode) => void
}

/** The line that a node prints when it serves. */
const Announcement = z.object({ node_id: z.string(), public_key: z.string(), url: z.string() })

/** The members that are read of the status that a node gives to its operator; it has more. */
const Status = z.looseObject({
  hub: z.object({
    state: z.string(),
    problem: z.string().nullable(),
    clock_offset_secs: z.number(),
    device_bound: z.boolean().nullable(),
  }),
  relay: z
    .looseObject({ connected: z.boolean(), state: z.string(), problem: z.string().nullable() })
    .optional(),
})

export type NodeStatus = z.output<typeof Status>

/**
 * Executions at once. A device takes as many tasks, and is blamed for those that it cannot take; its threads come with the
 * work. Executions of validators wait for their turn.
 */
const workers: Readonly<Record<NodeRole, number>> = { miner: 8, validator: 2 }

/** The flags of its `nodectl serve`. */
export function flagsOf(
  { role, dataDir, port }: NodePlan,
  { hub, rpcUrl, profile, paramsChanges }: NodeSurroundings,
): string[] {
  return [
    ...['--role', role, '--data-dir', dataDir, '--bind', `127.0.0.1:${port}`],
    ...['--hub-url', hub, '--clock', 'hub', '--log-format', 'json'],
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(paramsChanges === undefined ? [] : ['--params-changes', paramsChanges]),
    ...['--workers', String(workers[role])],
    ...(role === 'validator' ? ['--node-url', urlOf(port), '--chain-rpc', rpcUrl] : []),
  ]
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`

/** Longer than a node lets its executions go on. */
const stopMs = 15_000

/** A `nodectl serve` in a process of its own. It can be stopped, killed, and started again over the same data. */
export class LocalNode {
  readonly plan: NodePlan
  readonly url: string
  readonly #surroundings: NodeSurroundings
  #process: ChildProcess | null = null
  /** Processes that were told to end. */
  readonly #told = new WeakSet<ChildProcess>()
  #announced: z.output<typeof Announcement> | null = null

  constructor(plan: NodePlan, surroundings: NodeSurroundings) {
    this.plan = plan
    this.url = urlOf(plan.port)
    this.#surroundings = surroundings
  }

  get name(): string {
    return this.plan.name
  }

  /** Null while it does not run. */
  get pid(): number | null {
    return this.#process?.pid ?? null
  }

  /** Known once it has served. */
  get nodeId(): string | null {
    return this.#announced?.node_id ?? null
  }

  get publicKey(): string | null {
    return this.#announced?.public_key ?? null
  }

  /** Starts the node, and returns once it serves. @throws {@link StartError} with the reason if it does not. */
  async start(): Promise<void> {
    const {
      dist,
      node = process.execPath,
      apiToken,
      detached = false,
      onLoss = () => {},
    } = this.#surroundings
    if (this.#process !== null) throw new StartError(`${this.name} runs already.`)
    mkdirSync(path.dirname(this.plan.logFile), { recursive: true })
    const log = openSync(this.plan.logFile, 'a')
    const logStart = statSync(this.plan.logFile).size
    const child = spawn(
      node,
      [path.join(dist, 'nodectl.mjs'), 'serve', ...flagsOf(this.plan, this.#surroundings)],
      {
        // As the service of an operator runs it.
        env: { ...process.env, ...allocatorEnvironment, NODE_API_TOKEN: apiToken },
        stdio: ['ignore', 'pipe', log],
        detached,
      },
    )
    closeSync(log)
    this.#process = child
    const endWithThis = () => void child.kill('SIGTERM')
    process.once('exit', endWithThis)
    const closed = once(child, 'close').finally(() => {
      process.off('exit', endWithThis)
      if (this.#process === child) this.#process = null
    })
    const line = await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line').then(([first]) => String(first)),
      closed.then(
        () => null,
        () => null,
      ),
    ])
    if (line === null) {
      const said = readFileSync(this.plan.logFile).subarray(logStart).toString().trim()
      throw new StartError(`${this.name} did not start: ${said || 'it says nothing'}`)
    }
    this.#announced = Announcement.parse(JSON.parse(line))
    void closed.then(() => this.#told.has(child) || onLoss(this))
  }

  /** Tells it to stop, and returns its exit code once it has; null when it had to be killed, or did not run. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it where it runs, and starts it over the same data, key and port. */
  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** The lines of its log, from its first start on. */
  log(): Record<string, unknown>[] {
    return readFileSync(this.plan.logFile, 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  }

  /** The status that the node gives to its operator. */
  async status(): Promise<NodeStatus> {
    const headers = { Authorization: `Bearer ${this.#surroundings.apiToken}` }
    return Status.parse(await (await fetch(`${this.url}/status`, { headers })).json())
  }

  /**
   * Returns once the hub knows it, and a miner whose device is bound is connected to the relay, or banned.
   *
   * @returns Why it gets no work; null if it is not banned.
   * @throws {@link StartError} when the hub does not take it.
   */
  async waitUntilKnown(): Promise<string | null> {
    const isBanned = ({ relay }: NodeStatus) => relay?.state === 'banned'
    const status = await waitFor(
      `${this.name} to be registered and connected; its log is ${this.plan.logFile}`,
      () => this.status(),
      (status) => {
        const { hub, relay } = status
        const isConnected = hub.device_bound === false || relay?.connected !== false || isBanned(status)
        return hub.state === 'refused' || (hub.state === 'registered' && isConnected)
      },
      undefined,
      ({ hub, relay }) => JSON.stringify({ hub, relay }),
    )
    const { hub, relay } = status
    if (isBanned(status)) return relay?.problem ?? 'banned'
    if (hub.state === 'refused') throw new StartError(`The hub refuses ${this.name}: ${hub.problem}`)
    return null
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process
    if (child === null) return null
    this.#told.add(child)
    const closed = once(child, 'close')
    child.kill(signal)
    const limit = setTimeout(() => child.kill('SIGKILL'), stopMs)
    const [code] = await closed
    clearTimeout(limit)
    return code
  }
}
