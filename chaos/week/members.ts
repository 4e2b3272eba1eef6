import type { LongRunOptions } from '../harness/kind.ts'
import { encodeCall, stakingCall } from '../network/contracts.ts'
import { endNode } from '../network/end-node.ts'
import type { Miner, NodeNetwork, Validator } from '../network/node-network.ts'
import type { EpochPlan } from './plan.ts'

/** Collateral is withdrawn this many epochs after its unbonding started, which takes three days. */
const withdrawnAfter = 74
/** A validator that left answers for the epochs that its generation counts for. */
const stoppedAfter = 3

/** A week that is under way, as its changes and restarts know it. */
export interface WeekState {
  readonly network: NodeNetwork
  readonly report: Pick<LongRunOptions, 'say' | 'problem'>
  readonly changes: ReturnType<typeof noChanges>
  /** How often each process ended, by role and signal. */
  readonly restarts: Record<string, number>
}

export const noChanges = () => ({
  joined: 0,
  left: 0,
  replaced: 0,
  miners_joined: 0,
  miners_left: 0,
  withdrawn: 0,
})

export async function changeMembers(week: WeekState, epoch: number, { validators, miners }: EpochPlan) {
  const { network, changes, report } = week
  if (validators !== null) await changeValidators(week, epoch, validators)
  if (miners === 'join') {
    const { node } = await network.addMiner()
    changes.miners_joined += 1
    report.say(`${node.name} binds and bonds`)
  }
  const [oldest] = present(network.miners)
  if (miners === 'leave' && oldest !== undefined) {
    await call(week, 'unbond', oldest)
    oldest.leftIn = epoch
    changes.miners_left += 1
  }
  for (const { node, leftIn } of [...network.miners, ...network.validators])
    if (leftIn !== null && leftIn + stoppedAfter === epoch) await endNode(node, 'SIGTERM', report.problem)
  for (const miner of network.miners) {
    if (miner.leftIn === null || miner.leftIn + withdrawnAfter !== epoch) continue
    await call(week, 'withdraw', miner)
    changes.withdrawn += 1
  }
}

async function call(
  { network, report }: WeekState,
  name: 'unbond' | 'withdraw',
  { node, subscriptionId }: Miner,
) {
  await network.send([encodeCall(stakingCall(network, name, subscriptionId))])
  report.say(`${node.name}: ${name}`)
}

async function changeValidators(
  { network, changes, report }: WeekState,
  epoch: number,
  change: NonNullable<EpochPlan['validators']>,
) {
  const leaving = change === 'join' ? [] : present(network.validators).slice(0, 1)
  const joining = change === 'leave' ? [] : [await network.addValidator()]
  // Every node has served, so it has an id.
  const idsOf = (of: readonly Validator[]) => of.map(({ node }) => node.nodeId!)
  const body = { approve: idsOf(joining), revoke: idsOf(leaving), emergency: false, reason: 'planned' }
  const { generation } = await network.operator.client.call('POST /admin/v1/validators/generations', { body })
  for (const validator of leaving) validator.leftIn = epoch
  changes.joined += joining.length
  changes.left += leaving.length
  if (change === 'replace') changes.replaced += 1
  const names = (of: readonly Validator[]) => of.map(({ node }) => node.name).join(', ') || 'nobody'
  report.say(`generation ${generation} of the validators: ${names(joining)} joins, ${names(leaving)} leaves`)
}

export const present = <T extends Validator>(all: readonly T[]): T[] =>
  all.filter(({ leftIn }) => leftIn === null)
