import { hashText } from '../protocol/encoding/index.ts'
import type { ExecutionReceipt } from '../protocol/execution/index.ts'
import { deriveTaskRoundId, type Profile } from '../protocol/identity/index.ts'
import { createTaskVote, type Task } from '../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import type { Evidence } from '../protocol/slashing/index.ts'

interface Offender {
  readonly nodeSeed: string
  readonly subscriptionId: string
  readonly payout: string
}

/** Evidence of two votes of a device for one task. */
export function equivocationOf(
  profile: Profile,
  task: Task,
  { nodeSeed, subscriptionId, payout }: Offender,
): Evidence {
  const receipt = (output: string): ExecutionReceipt => ({
    ...{ v: 1, module_address: task.module_address, function: task.function, input_hash: task.input_hash },
    ...{ output_hash: hashText(output), events_hash: hashText('[]'), gas_used: 5, success: true },
  })
  const vote = (output: string) =>
    createTaskVote(profile, nodeSeed, { task, receipt: receipt(output), payout_address: payout, position: 0 })
  const { project_id, epoch, consensus_hash } = task
  return {
    ...{ v: 1, kind: 'equivocation', project_id, epoch, round_id: deriveTaskRoundId(task) },
    ...{ subscription_id: subscriptionId, node_key: ed25519PublicKey(nodeSeed), consensus_hash },
    proof: { first: vote('one'), second: vote('another') },
  } as unknown as Evidence
}
