import type { LocalNode } from '../../localnet/nodes/local-node.ts'
import { HubError } from '../../sdk/errors.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import { draws } from '../harness/draws.ts'
import type { LongRunOptions } from '../harness/kind.ts'
import { delay } from '../harness/time.ts'
import {
  type EchoTask,
  followTask,
  giveTask,
  isHonest,
  readWay,
  secondsUntilFinal,
} from '../network/echo-tasks.ts'
import { endNode } from '../network/end-node.ts'
import { countEach, readSlashes } from '../network/explorer.ts'
import type { NodeNetwork } from '../network/node-network.ts'
import { memory, memoryOf } from '../network/process-memory.ts'
import { type MemorySample, memoryTrend } from './memory-trend.ts'
import { drawInput, drawTurn } from './plan.ts'

const taskEachMs = 2_000
const sampleEachMs = 10_000
/** After this time nobody submits a task for `restMs`: long enough for nodes to end idle threads and to collect garbage. */
const restEachMs = 10 * 60_000
const restMs = 90_000
/** All deadlines of a round have passed by then. */
const taskLimitMs = 900_000

/** One soak: tasks, ends of nodes and samples of memory beside each other, until the minutes are over. */
export class Soak {
  readonly #network: NodeNetwork
  readonly #options: LongRunOptions
  readonly #startedMs = performance.now()
  readonly #endMs: number
  /** These run from the beginning to the end, so that their memory shows whether they grow. */
  readonly #undisturbed: readonly LocalNode[]
  readonly #disturbed: readonly LocalNode[]
  readonly #ends = { SIGTERM: 0, SIGKILL: 0 }
  readonly #samples = new Map<string, MemorySample[]>()
  /** MiB that processes keep at each rest: the own memory of a node, the heap of the hub's isolate. */
  readonly #kept: Record<string, number>[] = []
  readonly #tasks: EchoTask[] = []
  readonly #following: Promise<void>[] = []
  #refused = 0
  #isResting = false
  #disturbing: Promise<unknown> = Promise.resolve()

  constructor(network: NodeNetwork, options: LongRunOptions) {
    this.#network = network
    this.#options = options
    this.#endMs = this.#startedMs + options.length * 60_000
    const { validators, miners } = network
    this.#undisturbed = [validators[0]!.node, miners[0]!.node]
    this.#disturbed = [...validators.slice(1), ...miners.slice(1)].map(({ node }) => node)
  }

  async run(): Promise<object> {
    await Promise.all([this.#giveTasks(), this.#disturb(), this.#sampleMemory()])
    this.#options.say('No more tasks are given')
    await this.#rest()
    return this.#summarise()
  }

  #goesOn(): boolean {
    return performance.now() < this.#endMs
  }

  async #giveTasks(): Promise<void> {
    const { seed, say } = this.#options
    const random = draws(seed)
    let restAtMs = performance.now() + restEachMs
    for (let index = 0; this.#goesOn(); index += 1) {
      if (performance.now() >= restAtMs) {
        await this.#rest()
        restAtMs = performance.now() + restEachMs
      }
      await this.#giveTask(index, drawInput(random, index))
      if (index % 40 === 0)
        say(`${index} tasks given, ${this.#refused} refused; ends of nodes: ${JSON.stringify(this.#ends)}`)
      await delay(Math.max(0, taskEachMs - ((performance.now() - this.#startedMs) % taskEachMs)))
    }
  }

  async #giveTask(index: number, input: string): Promise<void> {
    try {
      const given = await giveTask(this.#network, `task-${index}`, input)
      this.#tasks.push(given)
      const following = followTask(this.#network, given, taskLimitMs)
      this.#following.push(following.catch(({ message }: Error) => this.#options.problem(message)))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      console.error(error.message)
      this.#refused += 1
    }
  }

  async #rest(): Promise<void> {
    this.#isResting = true
    await Promise.all([...this.#following, this.#disturbing])
    await delay(restMs)
    const hub = Math.round(await this.#network.hub.heap())
    this.#kept.push({ ...memoryOf(this.#undisturbed), hub })
    this.#options.say(`At rest, in MiB: ${JSON.stringify(this.#kept.at(-1))}`)
    this.#isResting = false
  }

  async #disturb(): Promise<void> {
    const { seed, say, problem } = this.#options
    const random = draws(seed + 1)
    while (this.#goesOn()) {
      const { afterMs, disturbances } = drawTurn(random, this.#disturbed.length)
      await delay(afterMs)
      if (this.#isResting) continue
      this.#disturbing = Promise.all(
        disturbances.map(async ({ node: index, signal, downMs }) => {
          const node = this.#disturbed[index] as LocalNode
          this.#ends[signal] += 1
          say(`${signal} to ${node.name}`)
          await endNode(node, signal, problem)
          await delay(downMs)
          await node.start().catch((error: Error) => problem(error.message))
        }),
      )
      await this.#disturbing
    }
  }

  async #sampleMemory(): Promise<void> {
    for (; this.#goesOn(); await delay(sampleEachMs)) {
      // Memory that nodes give back at rest does not show whether they grow.
      if (this.#isResting) continue
      const ms = performance.now()
      const hubs = ownWorkerds().map((pid) => ({ name: 'hub', pid }))
      for (const { name, pid } of [...this.#undisturbed, ...hubs])
        if (pid !== null)
          this.#samples.set(name, [...(this.#samples.get(name) ?? []), { ms, mib: memory(pid, 'VmRSS') }])
    }
  }

  async #summarise(): Promise<object> {
    const { problem } = this.#options
    const { validators, miners } = this.#network
    const lost = this.#tasks.filter((given) => !isHonest(given))
    for (const { task } of lost) problem(`A task is lost: ${JSON.stringify(task)}`)
    const accusations = countEach((await readSlashes(this.#network)).map(({ kind }) => kind))
    for (const [kind, count] of Object.entries(accusations))
      if (kind !== 'missed_sla') problem(`${count} accusations of ${kind}, and everybody is honest`)
    const ways: string[] = []
    for (const given of this.#tasks) ways.push(await readWay(this.#network, given))
    return {
      validators: validators.length,
      miners: miners.length,
      told_to_stop: this.#ends.SIGTERM,
      killed: this.#ends.SIGKILL,
      tasks: this.#tasks.length,
      refused: this.#refused,
      final_and_honest: this.#tasks.length - lost.length,
      lost: lost.length,
      ways: countEach(ways),
      seconds_until_final: secondsUntilFinal(this.#tasks),
      accusations,
      kept_at_rests_mib: this.#kept,
      memory_mib: Object.fromEntries([...this.#samples].map(([name, of]) => [name, memoryTrend(of)])),
    }
  }
}
