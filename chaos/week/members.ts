import { encodeCall, stakingCall } from '../network/contracts.ts'
import { endNode } from '../network/end-node.ts'
import { changeValidators, type Miner, type Validator, type WeekNetwork } from './network.ts'
import type { EpochPlan } from './plan.ts'

/** Collateral is withdrawn so many epochs after it was unbonded, which takes three days. */
const withdrawnAfter = 74
/** A validator that left answers for the epochs that its generation counts for. */
const stoppedAfter = 3

export interface Report {
  readonly say: (text: string) => void
  readonly problem: (text: string) => void
}

/** Miners and validators of a week that join and leave. */
export class Members {
  /** How often each change happened. */
  readonly changes = { joined: 0, left: 0, replaced: 0, miners_joined: 0, miners_left: 0, withdrawn: 0 }
  readonly #network: WeekNetwork
  readonly #report: Report

  constructor(network: WeekNetwork, report: Report) {
    this.#network = network
    this.#report = report
  }

  /** Does what is planned for an epoch, and what is due of nodes that left before. */
  async change(epoch: number, { validators, miners }: EpochPlan): Promise<void> {
    if (validators !== null) await this.#changeValidators(epoch, validators)
    if (miners === 'join') {
      const { node } = await this.#network.addMiner()
      this.changes.miners_joined += 1
      this.#report.say(`${node.name} binds and bonds`)
    }
    if (miners === 'leave') await this.#unbond(present(this.#network.miners)[0], epoch)
    for (const miner of this.#network.miners) {
      if (miner.leftIn === null) continue
      if (miner.leftIn + stoppedAfter === epoch) await endNode(miner.node, 'SIGTERM', this.#report.problem)
      if (miner.leftIn + withdrawnAfter === epoch) await this.#withdraw(miner)
    }
    for (const { node, leftIn } of this.#network.validators)
      if (leftIn !== null && leftIn + stoppedAfter === epoch)
        await endNode(node, 'SIGTERM', this.#report.problem)
  }

  async #unbond(miner: Miner | undefined, epoch: number): Promise<void> {
    if (miner === undefined) return
    await this.#network.send([encodeCall(stakingCall(this.#network, 'unbond', miner.subscriptionId))])
    miner.leftIn = epoch
    this.changes.miners_left += 1
    this.#report.say(`${miner.node.name} unbonds`)
  }

  async #withdraw({ node, subscriptionId }: Miner): Promise<void> {
    await this.#network.send([encodeCall(stakingCall(this.#network, 'withdraw', subscriptionId))])
    this.changes.withdrawn += 1
    this.#report.say(`${node.name} withdraws its collateral`)
  }

  async #changeValidators(epoch: number, change: NonNullable<EpochPlan['validators']>): Promise<void> {
    const leaving = change === 'join' ? [] : present(this.#network.validators).slice(0, 1)
    const joining = change === 'leave' ? [] : [await this.#network.addValidator()]
    const generation = await changeValidators(this.#network, joining, leaving)
    for (const validator of leaving) validator.leftIn = epoch
    this.changes.joined += joining.length
    this.changes.left += leaving.length
    if (change === 'replace') this.changes.replaced += 1
    const names = (of: readonly Validator[]) => of.map(({ node }) => node.name).join(', ') || 'nobody'
    this.#report.say(
      `generation ${generation} of the validators: ${names(joining)} joins, ${names(leaving)} leaves`,
    )
  }
}

/** Those that have not left. */
export const present = <T extends { readonly leftIn: number | null }>(all: readonly T[]): T[] =>
  all.filter(({ leftIn }) => leftIn === null)
