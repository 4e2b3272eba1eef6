import * as z from 'zod'
import {
  collateralHealth,
  collateralHealths,
  newSubscription,
  subscriptionStates,
} from '../../../protocol/actions/index.ts'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import { example } from '../../examples.ts'
import { Address, Amount, Bytes32, NodeId, PathBytes32, Timestamp } from '../../http/formats.ts'
import { standingOf } from '../../stores/subscription-standing.ts'
import type { Subscription } from '../../stores/subscriptions.ts'

export const SubscriptionParams = z.object({
  subscription_id: PathBytes32.meta({ example: example.digest }),
})

export const CollateralHealth = z.enum(collateralHealths)

export const SubscriptionView = z
  .strictObject({
    subscription_id: Bytes32,
    project_id: Bytes32,
    node_id: NodeId,
    owner: Address,
    status: z.enum(subscriptionStates),
    collateral: Amount,
    min_collateral: Amount,
    collateral_health: CollateralHealth.describe(
      '`healthy` from 120 % of the collateral that the project requires, `warning` from 100 %.',
    ),
    payout_address: Address,
    device_bound: z
      .boolean()
      .describe('Whether the device is bound to the owner. Committees leave out unbound devices.'),
    release_at: Timestamp.nullable().describe('When unbonding ends.'),
    pending_slashes: z.int().describe('Slashes that may still take collateral.'),
    slashed_total: Amount,
    reputation: z.int(),
    credited_rounds: z.int(),
    missed_leases: z.int(),
    disagreements: z.int(),
    last_proof_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Subscription' })

/** @param now Network time; the newest block counts where it is ahead, because blocks decide what is released. */
export const standingAt = (subscription: Subscription, now: number) =>
  standingOf(subscription, Math.max(now, subscription.chainTime))

export function subscriptionView(subscription: Subscription, now: number): z.output<typeof SubscriptionView> {
  const { status, collateral, payout, startedAt, releaseAt, slashedTotal } = standingAt(subscription, now)
  const holds = status !== 'pending_collateral' && status !== 'closed'
  return {
    subscription_id: subscription.subscriptionId,
    project_id: subscription.projectId,
    node_id: subscription.nodeId,
    owner: subscription.owner,
    status,
    collateral,
    min_collateral: subscription.minCollateral,
    collateral_health: holds
      ? collateralHealth(BigInt(collateral), BigInt(subscription.minCollateral))
      : 'healthy',
    payout_address: payout ?? subscription.owner,
    device_bound: subscription.deviceBound,
    release_at: releaseAt,
    pending_slashes: subscription.pendingSlashes,
    slashed_total: slashedTotal,
    reputation: subscription.reputation,
    credited_rounds: subscription.creditedRounds,
    missed_leases: subscription.missedLeases,
    disagreements: subscription.disagreements,
    last_proof_at: subscription.lastProofAt,
    started_at: startedAt,
    created_at: subscription.createdAt,
  }
}

const fresh = newSubscription(example.wallet, defaultNetworkParams)

export const subscriptionExample: z.output<typeof SubscriptionView> = {
  subscription_id: example.digest,
  project_id: example.manifestAddress,
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  owner: example.wallet,
  min_collateral: '5000000000000000000',
  device_bound: true,
  credited_rounds: 0,
  missed_leases: 0,
  disagreements: 0,
  created_at: example.time,
  ...fresh,
}

export const bondedExample: z.output<typeof SubscriptionView> = {
  ...subscriptionExample,
  status: 'active',
  collateral: '6000000000000000000',
  started_at: example.time,
}
