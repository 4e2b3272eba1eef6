import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { requireSubscription } from './access.ts'
import { bondedExample, SubscriptionParams, SubscriptionView, subscriptionView } from './schema.ts'

export const getSubscription = defineRoute(
  {
    method: 'get',
    path: '/v1/subscriptions/{subscription_id}',
    operationId: 'getSubscription',
    tag: 'Subscriptions',
    summary: 'Read a subscription',
    description: 'Its collateral, its state on the chain, and the work of its device.',
    params: SubscriptionParams,
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('As of the newest indexed block.', SubscriptionView, bondedExample),
  },
  async (c, { params: { subscription_id } }) => {
    const now = await c.var.services.clock.now()
    return json(subscriptionView(await requireSubscription(c, subscription_id), now))
  },
)
