import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
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
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(SubscriptionView).meta({ id: 'SubscriptionPage' }),
        example: { items: [bondedExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const caller = callerOf(c)
    const now = await c.var.services.clock.now()
    const { rows, next_cursor } = await paginate(c, {
      list: 'own-subscriptions',
      isOwn: true,
      query,
      position: ({ createdAt, subscriptionId }: Subscription): [number, string] => [
        createdAt,
        subscriptionId,
      ],
      fetch: (after, limit) =>
        c.var.services.subscriptions.list(
          caller,
          after && { createdAt: after[0], subscriptionId: after[1] },
          limit,
        ),
    })
    return json({ items: rows.map((subscription) => subscriptionView(subscription, now)), next_cursor })
  },
)
