import type { LoggedEvent } from '../../durable-objects/events/types.ts'
import type { Services } from '../services.ts'

/** Epochs of one run of the schedule, and payouts that one transaction tells. */
const epochsMax = 20
const payoutsMax = 2_000

/** Tells recipients of epochs whose challenge period is over. An epoch that was vetoed meanwhile is told when it is posted again. */
export async function tellDuePayouts(
  { epochs, eventLog }: Pick<Services, 'epochs' | 'eventLog'>,
  now: number,
): Promise<void> {
  for (const due of await eventLog.duePayouts(now, epochsMax)) {
    const epoch = await epochs.find(due.projectId, due.epoch)
    if (epoch === null || epoch.state !== 'settled') await eventLog.forgetPayouts(due)
    else {
      const { compute_units, vault_address } = await epochs.receipt(epoch.receiptHash)
      const payouts = compute_units.filter(({ amount }) => amount !== '0')
      for (let told = due.told; told < payouts.length; told += payoutsMax) {
        const part = payouts.slice(told, told + payoutsMax).map(
          ({ miner, amount }): LoggedEvent => ({
            ...{ type: 'payout.claimable', created_at: due.dueAt, address: miner, project_id: due.projectId },
            data: { epoch: due.epoch, vault: vault_address, amount },
          }),
        )
        await eventLog.tellPayouts({ ...due, told }, part)
      }
      await eventLog.forgetPayouts(due)
    }
  }
}
