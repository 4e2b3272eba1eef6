import { allowsCall, type SubscriptionCall } from '../../../protocol/actions/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { standingAt } from './schema.ts'

/** @throws {@link ApiError} 404 `not_found`. */
export async function requireSubscription(c: HubContext, subscriptionId: string): Promise<Subscription> {
  const subscription = await c.var.services.subscriptions.find(subscriptionId)
  if (subscription === null)
    throw new ApiError('not_found', `The subscription ${subscriptionId} does not exist.`)
  return subscription
}

/**
 * Checks the state, which everybody may know, and then whose the subscription is. @param now - Network time. @throws {@link ApiError} 409
 * `invalid_state`, 403 `not_owner`.
 */
export function requireCall(
  c: HubContext,
  subscription: Subscription,
  call: SubscriptionCall,
  now: number,
): void {
  const { status, releaseAt } = standingAt(subscription, now)
  const standing = { status, release_at: releaseAt, pending_slashes: subscription.pendingSlashes }
  if (!allowsCall(standing, call, Math.max(now, subscription.chainTime)))
    throw new ApiError('invalid_state', refusalOf(call, standing), { details: { ...standing } })
  if (!isOwn(c, subscription))
    throw new ApiError('not_owner', `The subscription ${subscription.subscriptionId} is not yours.`)
}

/** A subscription, and the check of a call of it at the present time. @throws {@link ApiError} 404 `not_found`. */
export async function subscriptionFor(c: HubContext, subscriptionId: string, call: SubscriptionCall) {
  const [subscription, now] = await Promise.all([
    requireSubscription(c, subscriptionId),
    c.var.services.clock.now(),
  ])
  return { subscription, now, requireState: () => requireCall(c, subscription, call, now) }
}

/** The owner, or on calls that take its signature the device itself. */
function isOwn({ var: { principal } }: HubContext, { owner, nodeKey }: Subscription): boolean {
  return principal?.kind === 'node'
    ? principal.publicKey === nodeKey
    : principal?.kind === 'session' && principal.address === owner
}

function refusalOf(
  call: SubscriptionCall,
  {
    status,
    release_at,
    pending_slashes,
  }: { status: string; release_at: number | null; pending_slashes: number },
): string {
  if (call === 'withdraw' && status === 'unbonding') return `The collateral is released at ${release_at}.`
  if (call === 'withdraw' && status === 'withdrawable')
    return `${pending_slashes} pending slashes hold the collateral; wait until they are decided.`
  return `The subscription is ${status}, which does not allow you to ${verbs[call]}.`
}

const verbs: Record<SubscriptionCall, string> = {
  bond: 'add collateral',
  pause: 'pause it',
  resume: 'resume it',
  payout: 'set its payout address',
  unbond: 'unbond it',
  withdraw: 'withdraw its collateral',
}
