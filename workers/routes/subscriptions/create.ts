import * as z from 'zod'
import { GaslessPayload, previewQuery } from '../../actions/gasless-schema.ts'
import { CompatibilityView, compatibilityExample } from '../../compatibility.ts'
import { json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { requireSubscription } from './access.ts'
import { type Begun, beginSubscriptions, SubscriptionInput } from './begin.ts'
import { bondAction, bondExample } from './bond.ts'
import { SubscriptionView, subscriptionExample, subscriptionView } from './schema.ts'

const Created = z
  .strictObject({ subscription: SubscriptionView, bond: GaslessPayload, compatibility: CompatibilityView })
  .meta({ id: 'CreatedSubscription' })

export const createSubscription = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions',
    operationId: 'createSubscription',
    tag: 'Subscriptions',
    summary: 'Subscribe a device to a project',
    description:
      'Answers with the bond to sign. The subscription has no obligations before the bond. The device is eligible from the next epoch after the bond.',
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    query: z.strictObject(previewQuery),
    json: {
      schema: SubscriptionInput,
      example: {
        project_id: subscriptionExample.project_id,
        node_id: subscriptionExample.node_id,
        collateral: '6000000000000000000',
      },
    },
    errors: ['not_found', 'not_owner', 'incompatible', 'insufficient_collateral', 'already_exists'],
    responses: reply(
      201,
      'The subscription, which waits for its collateral.',
      Created,
      {
        subscription: subscriptionExample,
        bond: bondExample,
        compatibility: compatibilityExample,
      },
      { Location: 'The subscription.' },
    ),
  },
  async (c, { json: input }) => {
    const { outcomes, bond } = await beginSubscriptions(c, [input], ([begun]) =>
      bondAction(sessionOf(c).address, begun as Begun, input.collateral),
    )
    const [outcome] = outcomes
    if (outcome === undefined || 'code' in outcome) throw outcome
    const { subscriptionId, compatibility } = outcome
    const [subscription, now] = await Promise.all([
      requireSubscription(c, subscriptionId),
      c.var.services.clock.now(),
    ])
    return json({ subscription: subscriptionView(subscription, now), bond, compatibility }, 201, {
      Location: `/v1/subscriptions/${subscriptionId}`,
    })
  },
)
