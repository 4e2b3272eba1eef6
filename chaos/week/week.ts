import { epochStart } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { delay } from '../harness/time.ts'
import { waitForClocks } from '../network/clocks.ts'
import { type EchoTask, followTask, giveTask } from '../network/echo-tasks.ts'
import { countEach } from '../network/explorer.ts'
import type { NodeNetwork } from '../network/node-network.ts'
import { claimDirectly, claimThroughHub } from './claims.ts'
import { changeMembers, noChanges, type WeekState } from './members.ts'
import type { EpochPlan, Restart } from './plan.ts'
import { readEpoch } from './records.ts'
import { restart } from './restarts.ts'

export const epochSecs = 3_600
/** A receipt is first asked for `settle` seconds after the end of its epoch, and again after every further `attempt_secs`. */
const { settle, attempt_secs, vault_challenge_secs } = defaultNetworkParams
/** Nodes need about that long to follow time that has leapt, and tasks come in the last five seconds. */
const beforeEndSecs = 8
const taskLimitMs = 120_000

export class Week implements WeekState {
  readonly network: NodeNetwork
  readonly tasks: EchoTask[] = []
  readonly restarts: Record<string, number> = {}
  readonly changes = noChanges()
  readonly report: WeekState['report']
  epochsWithLateLogs = 0
  readonly #seed: number
  readonly #open = new Set<Promise<void>>()
  #given = 0

  constructor(network: NodeNetwork, seed: number, report: WeekState['report']) {
    this.network = network
    this.#seed = seed
    this.report = report
  }

  /** Lets time pass until the receipt of the epoch before this one can be made. */
  passInto(epoch: number): Promise<void> {
    return this.#passUntil(epochStart(epoch, epochSecs) + settle + 5)
  }

  async #passUntil(time: number): Promise<void> {
    await this.network.pass(time - this.network.time())
  }

  /** One epoch: begins when its predecessor can be settled, and ends where the next one begins so. */
  async runEpoch(epoch: number, plan: EpochPlan): Promise<void> {
    this.#setLag(plan.logsLagMs)
    await this.#disturb(plan.atRest)
    await changeMembers(this, epoch, plan)
    const atWork = this.#disturb(plan.atWork)
    await this.#giveTasks(plan.tasks)
    await Promise.all([this.#allOver(), atWork])
    if (plan.claims) this.report.say(`${await claimThroughHub(this.network)} recipients claim`)
    const end = epochStart(epoch + 1, epochSecs)
    if (plan.beforeEndMs.length > 0) {
      await this.#passUntil(end - beforeEndSecs)
      const atEnd = this.#disturb(plan.atEnd)
      for (const beforeMs of plan.beforeEndMs) {
        await delay(Math.max(0, (end - this.network.time()) * 1_000 - beforeMs))
        await this.#giveTasks(1)
      }
      await Promise.all([this.#allOver(), atEnd])
    }
    await this.passInto(epoch + 1)
  }

  async #disturb(plan: Restart | null): Promise<void> {
    if (plan !== null) await restart(this, plan)
  }

  #setLag(logsLagMs: number): void {
    if (logsLagMs > 0) this.epochsWithLateLogs += 1
    const { hubProxy, validatorProxy } = this.network
    for (const proxy of [hubProxy, validatorProxy]) proxy.follow(this.#seed, 0, { logsLagMs })
  }

  async #giveTasks(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#giveTask(this.#given++)))
  }

  async #giveTask(number: number): Promise<void> {
    const input = JSON.stringify({ task: number, text: 'x'.repeat((number * 37) % 200) })
    const given = await giveTask(this.network, `task-${number}`, input)
    this.tasks.push(given)
    const following = followTask(this.network, given, taskLimitMs).finally(() => this.#open.delete(following))
    this.#open.add(following)
  }

  /** Returns once no task is open, or those that are have been so for long. */
  async #allOver(): Promise<void> {
    await Promise.all([...this.#open])
  }

  /**
   * Tasks that are open still end, every epoch is posted and released, and everybody is paid.
   *
   * @returns The planned epochs, and those after them that tasks slipped into because the machine was busy.
   */
  async finish(first: number, length: number): Promise<number[]> {
    const { say } = this.report
    this.#setLag(0)
    say('No more tasks are given')
    await waitForClocks(this.network)
    await Promise.all(this.tasks.map((given) => followTask(this.network, given, taskLimitMs)))
    const last = Math.max(first + length - 1, ...this.tasks.map(({ task }) => task.epoch ?? 0))
    const epochs = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    // A receipt of the last epoch is asked for once it is over.
    await this.passInto(last + 1)
    // Attempts come in turns, and each has its own leader.
    for (let tries = 0; tries < 12; tries++) {
      const counts = await this.#statuses(epochs)
      say(`Epochs: ${JSON.stringify(counts)}`)
      if (!['none', 'closed', 'attested', 'submitted'].some((status) => (counts[status] ?? 0) > 0)) break
      await this.#passUntil(this.network.time() + attempt_secs)
      await delay(5_000)
    }
    await this.#passUntil(this.network.time() + vault_challenge_secs + 60)
    await waitForClocks(this.network)
    for (let tries = 0; tries < 10; tries++) {
      await claimThroughHub(this.network)
      await delay(3_000)
      const { released = 0, settled = 0 } = await this.#statuses(epochs)
      if (tries >= 2 && settled === 0) {
        say(`${released} epochs are released`)
        break
      }
    }
    say(`${await claimDirectly(this.network)} payouts are claimed with the proofs of the hub`)
    // Slashes whose window is over are executed, and fees are paid, on the schedule.
    await this.#passUntil(this.network.time() + 2 * 3_600)
    await delay(15_000)
    return epochs
  }

  async #statuses(epochs: readonly number[]): Promise<Record<string, number>> {
    const statuses: string[] = []
    for (const epoch of epochs) {
      const shown = await readEpoch(this.network, epoch)
      const isIdle = shown?.status === 'closed' && shown.rounds === 0 && !shown.open_rounds
      statuses.push(isIdle ? 'idle' : (shown?.status ?? 'none'))
    }
    return countEach(statuses)
  }
}
