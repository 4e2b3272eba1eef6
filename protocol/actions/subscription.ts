import { zeroAddress } from '../encoding/index.ts'
import type { NetworkParams } from '../identity/index.ts'

/** States of a subscription. */
export const subscriptionStates = [
  'pending_collateral',
  'active',
  'paused',
  'jailed',
  'unbonding',
  'withdrawable',
  'closed',
] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** States the staking contract knows. */
export type ChainState = 'pending_collateral' | 'bonded' | 'unbonding'

/** States of a payout of one epoch. */
export const payoutStates = ['accruing', 'attested', 'settled', 'claimable', 'claimed', 'vetoed'] as const

/** States of a withdrawal, of kind `claim` or `collateral`. */
export const withdrawalStates = ['pending', 'processing', 'completed', 'failed'] as const

/** The staking contract's name for a state; null for `closed`, of which the contract keeps no record. */
export function chainState(state: SubscriptionState): ChainState | null {
  switch (state) {
    case 'pending_collateral':
      return state
    case 'active':
    case 'paused':
    case 'jailed':
      return 'bonded'
    case 'unbonding':
    case 'withdrawable':
      return 'unbonding'
    case 'closed':
      return null
  }
}

/** Calls on a subscription that its state may refuse. */
export type SubscriptionCall = 'bond' | 'pause' | 'resume' | 'payout' | 'unbond' | 'withdraw'

/** The state that decides whether a call is allowed. */
export interface SubscriptionStanding {
  readonly status: SubscriptionState
  /** Unix seconds; null unless unbonding. */
  readonly release_at: number | null
  /** Slashes of the subscription that are `recorded`, `proposed` or `disputed`. */
  readonly pending_slashes: number
}

const bonded: readonly SubscriptionState[] = ['active', 'paused', 'jailed']
const allowedFrom: Record<Exclude<SubscriptionCall, 'withdraw'>, readonly SubscriptionState[]> = {
  bond: ['pending_collateral', ...bonded],
  pause: ['active'],
  resume: ['paused'],
  payout: [...bonded, 'unbonding', 'withdrawable'],
  unbond: bonded,
}

/**
 * Whether the state allows a call; otherwise the answer is `invalid_state`. Withdrawing waits for the release and for every
 * pending slash, which would otherwise find nothing left.
 * @param now Unix seconds.
 */
export function allowsCall(standing: SubscriptionStanding, call: SubscriptionCall, now: number): boolean {
  if (call === 'withdraw') return statusAt(standing, now) === 'withdrawable' && standing.pending_slashes === 0
  return allowedFrom[call].includes(standing.status)
}

/** The state at a time: unbonding becomes withdrawable when its release is reached. */
export function statusAt(
  { status, release_at }: Pick<SubscriptionStanding, 'status' | 'release_at'>,
  now: number,
): SubscriptionState {
  return status === 'unbonding' && release_at !== null && release_at <= now ? 'withdrawable' : status
}

/** The state after collateral was added. A jailed subscription stays jailed below `min_collateral`. */
export function statusAfterBond(
  status: SubscriptionState,
  collateral: bigint,
  minCollateral: bigint,
): SubscriptionState {
  if (status === 'pending_collateral') return 'active'
  return status === 'jailed' && collateral >= minCollateral ? 'active' : status
}

/** The state after an executed slash left this collateral. */
export function statusAfterSlash(
  status: SubscriptionState,
  collateral: bigint,
  minCollateral: bigint,
): SubscriptionState {
  const works = status === 'active' || status === 'paused'
  return works && collateral < minCollateral ? 'jailed' : status
}

/** Levels of collateral, relative to the minimum of the project. */
export const collateralHealths = ['healthy', 'warning', 'critical'] as const
export type CollateralHealth = (typeof collateralHealths)[number]

/** `healthy` from 120 % of `min_collateral`, `warning` from 100 %, else `critical`. Exact: no percentage is rounded. */
export function collateralHealth(collateral: bigint, minCollateral: bigint): CollateralHealth {
  if (100n * collateral >= 120n * minCollateral) return 'healthy'
  return collateral >= minCollateral ? 'warning' : 'critical'
}

/** Events that change a reputation, and by how much. */
export const reputationSteps = {
  /** A voter of a final record. */
  credited: 25,
  /** A primary without a valid vote in time. */
  missed_lease: -250,
  /** A vote that disagrees with the final result. */
  disagreed: -1000,
} as const

/** An event that changes a reputation. */
export type ReputationEvent = keyof typeof reputationSteps

/** The reputation after one event, clamped to the network's bounds: order matters, so apply events one by one. */
export function nextReputation(
  reputation: number,
  event: ReputationEvent,
  params: Pick<NetworkParams, 'reputation_min' | 'reputation_max'>,
): number {
  const next = reputation + reputationSteps[event]
  return Math.min(Math.max(next, params.reputation_min), params.reputation_max)
}

/**
 * The payout address that a request means: null, the zero address and the owner reset it to the owner, and the typed data
 * then carries the owner's address.
 */
export function resolvePayout(owner: string, requested: string | null): string {
  return requested === null || requested === zeroAddress ? owner : requested
}

/** The members of a new subscription that do not depend on who subscribes. */
export function newSubscription(owner: string, params: Pick<NetworkParams, 'reputation_initial'>) {
  return {
    status: 'pending_collateral',
    collateral: '0',
    payout_address: owner,
    collateral_health: 'healthy',
    release_at: null,
    pending_slashes: 0,
    slashed_total: '0',
    reputation: params.reputation_initial,
    last_proof_at: null,
    started_at: null,
  } as const
}

/** The combined effect of several events on any reputation: `min(most, max(least, reputation + shift))`. */
export interface ReputationChange {
  readonly shift: number
  readonly least: number
  readonly most: number
}

/**
 * The change that events make together, in their order. It gives what {@link nextReputation} gives event by event, so that a store can apply many
 * without reading the reputation.
 */
export function reputationChange(
  events: readonly ReputationEvent[],
  params: Pick<NetworkParams, 'reputation_min' | 'reputation_max'>,
): ReputationChange {
  let change = { shift: 0, least: params.reputation_min, most: params.reputation_max }
  for (const event of events)
    change = {
      shift: change.shift + reputationSteps[event],
      least: nextReputation(change.least, event, params),
      most: nextReputation(change.most, event, params),
    }
  return change
}
