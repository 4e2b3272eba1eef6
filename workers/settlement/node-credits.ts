import type { SnapshotEntry } from '../../protocol/consensus/index.ts'
import type { MinerUnits } from '../../protocol/settlement/index.ts'

/** Rounds that a subscription is credited. */
export interface NodeCredit {
  subscriptionId: string
  rounds: number
}

/**
 * Whose rounds an epoch credits. A receipt names addresses, and the set of the epoch the nodes that are paid to each: those
 * share its units in equal parts, and what does not divide goes to the first of them. An address without a node in the set
 * credits none.
 */
export function creditNodes(
  units: readonly MinerUnits[],
  entries: readonly Pick<SnapshotEntry, 'subscription_id' | 'payout_address'>[],
): NodeCredit[] {
  const nodesOf = Map.groupBy(entries, ({ payout_address }) => payout_address)
  return units.flatMap(({ miner, units: earned }) => {
    const nodes = nodesOf.get(miner) ?? []
    return nodes.map(({ subscription_id: subscriptionId }, i) => ({
      subscriptionId,
      rounds: Math.floor(earned / nodes.length) + (i < earned % nodes.length ? 1 : 0),
    }))
  })
}
