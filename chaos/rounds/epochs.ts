import { quorum } from '../../protocol/committees/index.ts'
import {
  attemptStart,
  type BuiltEpochReceipt,
  receiptWaitsUntil,
  sumUnits,
} from '../../protocol/earnings/index.ts'
import { defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import type { FinalityRecord } from '../../protocol/rounds/index.ts'
import type { Schemas } from '../../sdk/index.ts'
import { isOver } from '../../tools/task/follow.ts'
import { Difference, expectSame } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import { vaultCall } from '../network/contracts.ts'
import type { Project } from '../network/projects.ts'
import { attestedReceipt, receiptOf } from '../network/receipts.ts'
import type { RoundsNetwork } from './network.ts'
import type { TaskView } from './tasks.ts'
import type { ValidatorGroup } from './validator-group.ts'

type EpochAnswer = Schemas['Epoch']

interface Answer {
  readonly details?: { readonly reason?: string }
}

/** An epoch of a project, by the final records that the hub shows. */
interface EpochAccount {
  readonly project: Project
  readonly epoch: number
  readonly records: FinalityRecord[]
  /** Rounds that are over, with a result or without. */
  rounds: number
  /** A receipt that was posted while rounds were open, to see it refused. */
  triedEarly: boolean
  /** Whether that receipt was taken, since the last round had ended meanwhile: it says less than all. */
  isTaken: boolean
  posted: BuiltEpochReceipt | null
}

const lookMs = 700

/** Pays the epochs that end, as validators do: each when its last round is over. */
export class EpochLedger {
  readonly #network: RoundsNetwork
  readonly #group: ValidatorGroup
  readonly #accounts = new Map<string, EpochAccount>()
  /** Tasks that are on their way, by id, and the project of each. */
  readonly #open = new Map<string, Project>()

  constructor(network: RoundsNetwork, group: ValidatorGroup) {
    this.#network = network
    this.#group = group
  }

  begin(taskId: string, project: Project): void {
    this.#open.set(taskId, project)
  }

  end(taskId: string): void {
    this.#open.delete(taskId)
  }

  /** Notes a round that is over. @param record Null if it has failed, or nobody is paid for it. */
  note(projectId: string, epoch: number, record: FinalityRecord | null): void {
    const project = this.#network.projects.find((one) => one.projectId === projectId) as Project
    const account = this.#account(project, epoch)
    account.rounds += 1
    if (record !== null) account.records.push(record)
  }

  /** Whether a round that became final then is paid. */
  isPaid({ consensus }: Project, epoch: number, finalizedAt: number): boolean {
    return finalizedAt <= receiptWaitsUntil(epoch, consensus.work)
  }

  #account(project: Project, epoch: number): EpochAccount {
    const key = `${project.projectId}:${epoch}`
    const unknown = { records: [], rounds: 0, triedEarly: false, isTaken: false, posted: null }
    const account = this.#accounts.get(key) ?? { project, epoch, ...unknown }
    this.#accounts.set(key, account)
    return account
  }

  /** Looks after the receipts of epochs that end from now on, as long as tasks are on their way. */
  async watch(running: Promise<unknown>): Promise<void> {
    const { hub, projects } = this.#network
    let isRunning = true
    const over = running.finally(() => {
      isRunning = false
    })
    over.catch(() => {})
    const times = projects.map(({ consensus }) => consensus.work.epoch_secs)
    const firstEpoch = Math.floor((await hub.time()) / (times[0] as number))
    while (isRunning) {
      await Promise.race([delay(lookMs), over])
      const now = await hub.time()
      for (const [at, project] of projects.entries()) {
        const epoch = Math.floor(now / (times[at] as number)) - 1
        if (isRunning && epoch >= firstEpoch && this.#isDue(project, epoch, now))
          await this.#look(project, epoch)
      }
    }
  }

  #isDue({ consensus: { work } }: Project, epoch: number, now: number): boolean {
    return now >= attemptStart(epoch, work.epoch_secs, 0, params) && now < receiptWaitsUntil(epoch, work)
  }

  /** The hub says that no round of the epoch is open only if this is so, and while one is open, it takes no receipt. */
  async #look(project: Project, epoch: number): Promise<void> {
    const view = await this.#view(project, epoch)
    if (view.open_rounds === undefined) return
    const open = await this.#openTasks(project, epoch)
    const isWaiting = !(await this.#isLater(project, epoch))
    if (view.open_rounds === 0 && open.length > 0 && isWaiting)
      throw new Difference(
        `no round of ${project.projectId}/${epoch} is open, says the hub; these are: ${JSON.stringify(open)}`,
      )
    const account = this.#account(project, epoch)
    if (open.length === 0 || account.triedEarly) return
    const built = this.#build(account)
    if (built === null) return
    account.triedEarly = true
    const { status, body } = await this.#post(account, built)
    const reason = body.details?.reason
    if (status === 425 && reason === 'rounds_open') return this.#network.faults.note('receipt_early')
    // Another generation may count for the epoch since the turn began.
    if (status !== 202) return
    const still = await this.#openTasks(project, epoch)
    if (still.length > 0 && !(await this.#isLater(project, epoch)))
      throw new Difference(
        `the receipt of ${project.projectId}/${epoch} is answered ${status} ${JSON.stringify(body)} while these are open: ${JSON.stringify(still)}`,
      )
    account.isTaken = true
  }

  async #isLater({ consensus: { work } }: Project, epoch: number): Promise<boolean> {
    return (await this.#network.hub.time()) >= receiptWaitsUntil(epoch, work)
  }

  async #openTasks(project: Project, epoch: number): Promise<TaskView[]> {
    const ids = [...this.#open].filter(([, one]) => one === project).map(([taskId]) => taskId)
    const tasks = await Promise.all(
      ids.map((id) =>
        this.#network.hub.expect<TaskView>(200, { path: `/v1/tasks/${encodeURIComponent(id)}` }),
      ),
    )
    return tasks.filter((task) => task.round_id !== null && task.epoch === epoch && !isOver(task))
  }

  #view({ projectId }: Project, epoch: number): Promise<EpochAnswer> {
    return this.#network.hub.expect<EpochAnswer>(200, { path: `/v1/explorer/epochs/${projectId}/${epoch}` })
  }

  #build({ project, epoch, records }: EpochAccount): BuiltEpochReceipt | null {
    return receiptOf(this.#network.profile, project, epoch, records)
  }

  /** Has a quorum of the epoch's validators attest a receipt, and posts it. */
  #post({ project, epoch }: EpochAccount, { body }: BuiltEpochReceipt) {
    const { hub, profile } = this.#network
    const signers = this.#group.signersOf(epoch, project.consensus.work.epoch_secs)
    const json = attestedReceipt(profile, body, signers.slice(-quorum(signers.length)))
    const path = '/v1/nodes/epoch-receipts'
    return hub.call<Answer>({ method: 'POST', path, seed: signers[0]!.seed, json })
  }

  /** Posts what is due of epochs that are over, while no task is on its way. Each round of them is paid, once. */
  async settle(): Promise<void> {
    const { hub, pass, rows } = this.#network
    for (const account of this.#accounts.values()) {
      const { project, epoch, records, rounds } = account
      const { work } = project.consensus
      const now = await hub.time()
      if (account.posted !== null || account.isTaken || now < (epoch + 1) * work.epoch_secs) continue
      const from = attemptStart(epoch, work.epoch_secs, 0, params)
      if (now < from) await pass(from - now)
      const what = `the epoch ${project.projectId}/${epoch}`
      const view = await this.#view(project, epoch)
      expectSame(`rounds of ${what}: over, open`, [view.rounds, view.open_rounds], [rounds, 0])
      const credits = await rows<{ miner: string; units: number }>(
        'SELECT miner, units FROM epoch_credits WHERE project_id = ? AND epoch = ? ORDER BY miner',
        project.projectId,
        epoch,
      )
      expectSame(`credits of ${what}`, credits, sumUnits(records, params.gas_per_unit))
      const built = this.#build(account)
      if (built === null) continue
      requireStatus(`the receipt of ${what}`, await this.#post(account, built), 202, 'conflict_if_repeated')
      account.posted = built
      expectSame(`the totals of ${what}`, (await this.#view(project, epoch)).totals, built.body.totals)
      this.#network.faults.note('epoch_paid')
    }
  }

  /** Returns once every receipt is in the vault that pays it. */
  async finish(): Promise<void> {
    const { chain, wake } = this.#network
    for (const account of this.#accounts.values()) {
      const { project, epoch, posted } = account
      if (posted === null) continue
      await until(`${project.projectId}/${epoch} is in its vault`, async () => {
        await wake()
        const { status } = await this.#view(project, epoch)
        return status === 'settled' || status === 'released' || status
      })
      const { merkleRoot } = await chain.readOne<{ merkleRoot: string }>(
        vaultCall(project.vault, 'epochOf', BigInt(epoch)),
      )
      expectSame(`the root of ${project.projectId}/${epoch}`, merkleRoot, posted.body.merkle_root)
    }
  }
}
