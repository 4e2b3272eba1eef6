import type { LoggedEvent } from '../../durable-objects/events/types.ts'
import type { Services } from '../services.ts'
import type { DuePayouts } from '../stores/event-log.ts'

/** Epochs of one run of the schedule, and payouts that one transaction tells. */
const epochsMax = 20
const payoutsMax = 2_000

type Sources = Pick<Services, 'chainIndex' | 'epochs' | 'events'>

/** Tells recipients of epochs whose challenge period is over, by the newest indexed block: an index that stands still may lack a veto. */
export async function tellDuePayouts(sources: Sources): Promise<void> {
  const [{ log }, readUntil] = await Promise.all([sources.events(), sources.chainIndex.newestTime()])
  // An epoch that fails keeps no other waiting.
  for (const due of await log.duePayouts(readUntil, epochsMax))
    await tellEpoch(sources, due).catch((error) =>
      console.error(`payouts of ${due.projectId} ${due.epoch} could not be told`, error),
    )
}

/** An epoch that was vetoed meanwhile is told when it is posted again. */
async function tellEpoch({ epochs, events }: Sources, due: DuePayouts): Promise<void> {
  const { log } = await events()
  const epoch = await epochs.find(due.projectId, due.epoch)
  if (epoch?.state === 'settled') {
    const { compute_units, vault_address: vault } = await epochs.receipt(epoch.receiptHash)
    const payouts = compute_units
      .filter(({ amount }) => amount !== '0')
      .map(
        ({ miner, amount }): LoggedEvent => ({
          ...{ type: 'payout.claimable', created_at: due.dueAt, address: miner, project_id: due.projectId },
          data: { epoch: due.epoch, vault, amount },
        }),
      )
    for (let { told } = due; told < payouts.length; told += payoutsMax)
      await log.tellPayouts({ ...due, told }, payouts.slice(told, told + payoutsMax))
  }
  await log.forgetPayouts(due)
}
