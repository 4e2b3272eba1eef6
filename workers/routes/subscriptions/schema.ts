import * as z from 'zod'
import {
  collateralHealth,
  collateralHealths,
  newSubscription,
  subscriptionStates,
} from '../../../protocol/actions/index.ts'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import { example } from '../../examples.ts'
import { Address, Amount, Bytes32, NodeId, PathBytes32, Timestamp, TokenView } from '../../http/formats.ts'
import { standingOf } from '../../stores/subscription-standing.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { uptimeBp } from '../../stores/work-days.ts'
import { tokenExample } from '../projects/example.ts'

export const SubscriptionParams = z.object({
  subscription_id: PathBytes32.meta({ example: example.digest }),
})

const CollateralHealth = z.enum(collateralHealths)

export const SubscriptionView = z
  .strictObject({
    subscription_id: Bytes32,
    project_id: Bytes32,
    project_name: z.string(),
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
    uptime_bp: z
      .int()
      .optional()
      .describe('Share of its leases that were answered; absent before the first.'),
    leases_completed: z.int().describe('Leases with a credited vote.'),
    units_total: z.int().describe('Credited units.'),
    earned_total: Amount.describe(
      'Its share, by units, of what the payout address earned in settled epochs of the project: all of it where no other device is paid there.',
    ),
    token: TokenView.nullable().describe('In which it is paid.'),
    started_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Subscription' })

/** @param now Network time; the newest block counts where it is ahead, because blocks decide what is released. */
export const standingAt = (subscription: Subscription, now: number) =>
  standingOf(subscription, Math.max(now, subscription.chainTime))

export function subscriptionView(subscription: Subscription, now: number): z.output<typeof SubscriptionView> {
  const { status, collateral, payout, startedAt, releaseAt, slashedTotal } = standingAt(subscription, now)
  const answered = subscription.creditedRounds + subscription.disagreements
  const holds = status !== 'pending_collateral' && status !== 'closed'
  return {
    subscription_id: subscription.subscriptionId,
    project_id: subscription.projectId,
    project_name: subscription.projectName,
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
    uptime_bp: uptimeBp({ answered, asked: answered + subscription.missedLeases }),
    leases_completed: subscription.creditedRounds,
    units_total: subscription.units,
    earned_total: earnedShare(subscription),
    token: subscription.token,
    started_at: startedAt,
    created_at: subscription.createdAt,
  }
}

/** Units of epochs that are not settled yet are paid for nobody. */
function earnedShare({ units, earned, earnedUnits }: Subscription): string {
  const all = BigInt(earnedUnits ?? 0)
  const own = BigInt(units) < all ? BigInt(units) : all
  return all === 0n ? '0' : String((BigInt(earned ?? '0') * own) / all)
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
  project_name: 'Hello',
  leases_completed: 0,
  units_total: 0,
  earned_total: '0',
  token: tokenExample,
  ...fresh,
}

export const bondedExample: z.output<typeof SubscriptionView> = {
  ...subscriptionExample,
  status: 'active',
  collateral: '6000000000000000000',
  started_at: example.time,
}
