import * as z from 'zod'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { bondedExample, SubscriptionView, subscriptionView } from './schema.ts'

export const listSubscriptions = defineRoute(
  {
    method: 'get',
    path: '/v1/me/subscriptions',
    operationId: 'listSubscriptions',
    tag: 'Subscriptions',
    summary: 'List your subscriptions, newest first',
    description: 'Closed ones too.',
    auth: { session: true },
    query: z.strictObject(pageQuery),
    responses: onePage('SubscriptionPage', SubscriptionView, bondedExample),
  },
  async (c, { query }) => {
    const caller = callerOf(c)
    const now = await c.var.services.clock.now()
    return answerPage(c, {
      list: 'own-subscriptions',
      isOwn: true,
      query,
      by: ['createdAt', 'subscriptionId'],
      fetch: (after, limit) => c.var.services.subscriptions.list(caller, after, limit),
      view: (subscription: Subscription) => subscriptionView(subscription, now),
    })
  },
)
