import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { subscriptionFor } from './access.ts'
import { bondedExample, SubscriptionParams, SubscriptionView, subscriptionView } from './schema.ts'

export const pauseSubscription = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/pause',
    operationId: 'pauseSubscription',
    tag: 'Subscriptions',
    summary: 'Pause a subscription',
    description:
      'The device gets no work from the next epoch on. The collateral stays bonded. The device itself may also make this call.',
    auth: { session: true, node: 'known_key' },
    params: SubscriptionParams,
    errors: ['not_found', 'not_owner', 'invalid_state'],
    responses: ok('Paused.', SubscriptionView, { ...bondedExample, status: 'paused' }),
  },
  (c, { params: { subscription_id } }) => move(c, subscription_id, 'pause'),
)

export const resumeSubscription = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/resume',
    operationId: 'resumeSubscription',
    tag: 'Subscriptions',
    summary: 'Resume a subscription',
    description: 'Ends a pause: the device is in the sets of later epochs again.',
    auth: { session: true, node: 'known_key' },
    params: SubscriptionParams,
    errors: ['not_found', 'not_owner', 'invalid_state'],
    responses: ok('Active.', SubscriptionView, bondedExample),
  },
  (c, { params: { subscription_id } }) => move(c, subscription_id, 'resume'),
)

async function move(c: HubContext, subscriptionId: string, call: 'pause' | 'resume'): Promise<Answer> {
  const { subscription, now, requireState } = await subscriptionFor(c, subscriptionId, call)
  requireState()
  const pausedAt = call === 'pause' ? now : null
  if ((await c.var.services.subscriptions.setPause(subscription, pausedAt)) === 'stale')
    throw new ApiError(
      'invalid_state',
      'Another call changed the subscription at the same moment. Read it again.',
    )
  return json(subscriptionView({ ...subscription, pausedAt }, now))
}
