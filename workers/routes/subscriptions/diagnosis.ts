import * as z from 'zod'
import { networkUnit } from '../../chain/token.ts'
import type { HubContext } from '../../context.ts'
import { json } from '../../http/answer.ts'
import { viewerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { WhyFactStore } from '../../stores/why-facts.ts'
import { CauseView, causeExample, causesView } from '../../why/view.ts'
import { causesOf } from '../../why/why.ts'
import { spendDraw } from '../committees/access.ts'
import { requireSubscription } from './access.ts'
import { SubscriptionParams } from './schema.ts'

export const getDiagnosis = defineRoute(
  {
    method: 'get',
    path: '/v1/subscriptions/{subscription_id}/diagnosis',
    operationId: 'getDiagnosis',
    tag: 'Subscriptions',
    summary: 'Read why a subscription gets no work or no reward',
    description:
      'Its owner, with a session, and its device, with a node signature, also see details: the requirement that the device does not meet, the reason of a ban, the tasks that went wrong, and the check that an invalid vote failed.',
    params: SubscriptionParams,
    errors: ['not_found'],
    responses: ok(
      'Errors first. As of the newest indexed block.',
      z
        .strictObject({
          working: z.boolean().describe('Whether no cause is an error.'),
          causes: z.array(CauseView),
        })
        .meta({ id: 'Diagnosis' }),
      { working: false, causes: [causeExample] },
    ),
  },
  async (c, { params: { subscription_id } }) => {
    const { clock, store, params, paramsSchedule, committeeSets } = c.var.services
    const now = await clock.now()
    const [subscription, facts] = await Promise.all([
      requireSubscription(c, subscription_id),
      store(WhyFactStore).ofSubscription(subscription_id, now),
    ])
    if (facts === null) throw new Error('a subscription was found and its facts were not')
    const found = await causesOf(subscription, facts, {
      ...{ now, params, paramsSchedule, unit: networkUnit(c.var.settings.PROFILE) },
      isMember: async (set) => {
        await spendDraw(c, set)
        const entry = await committeeSets.findEntry(set.setHash, subscription.nodeKey)
        return entry?.subscription_id === subscription_id
      },
    })
    const causes = causesView(found, c.var.settings.BASE_URL.origin, isOwn(c, subscription))
    return json({ working: causes.every(({ severity }) => severity !== 'error'), causes })
  },
)

const isOwn = (c: HubContext, { owner, nodeKey }: Subscription): boolean =>
  c.var.principal?.kind === 'node' ? c.var.principal.publicKey === nodeKey : viewerOf(c) === owner
