import * as z from 'zod'
import { subscriptionStates } from '../../../protocol/actions/index.ts'
import { PathNodeId, PathProject } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery, readsOn } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { bondedExample, SubscriptionView, standingAt, subscriptionView } from './schema.ts'

export const listSubscriptions = defineRoute(
  {
    method: 'get',
    path: '/v1/me/subscriptions',
    operationId: 'listSubscriptions',
    tag: 'Subscriptions',
    summary: 'List your subscriptions, newest first',
    description: `Closed ones too. ${readsOn('With `status`')}`,
    auth: { session: true },
    query: z.strictObject({
      ...pageQuery,
      project_id: PathProject.optional(),
      node_id: PathNodeId.optional(),
      status: z.enum(subscriptionStates).optional(),
    }),
    responses: onePage('SubscriptionPage', SubscriptionView, bondedExample),
  },
  async (c, { query: { project_id: projectId, node_id: nodeId, status, ...query } }) => {
    const caller = callerOf(c)
    const now = await c.var.services.clock.now()
    return answerPage(c, {
      list: `own-subscriptions project=${projectId ?? ''} node=${nodeId ?? ''} status=${status ?? ''}`,
      isOwn: true,
      query,
      by: ['createdAt', 'subscriptionId'],
      ...(status && {
        keep: (subscription: Subscription) => standingAt(subscription, now).status === status,
      }),
      fetch: (after, limit) => c.var.services.subscriptions.list(caller, { projectId, nodeId }, after, limit),
      view: (subscription: Subscription) => subscriptionView(subscription, now),
    })
  },
)
