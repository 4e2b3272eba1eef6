import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import type { Answer } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { payloadExample, twoStepBody, twoStepResponses } from '../../relay/gasless-schema.ts'
import { twoSteps } from '../../relay/two-steps.ts'
import { defineRoute } from '../../route.ts'
import { requireCall, requireSubscription } from './access.ts'
import { SubscriptionParams } from './schema.ts'

const message = { owner: example.wallet, subscriptionId: example.digest }
const unbondPayload = payloadExample('unbond', message)
const withdrawPayload = payloadExample('withdraw', message)

export const unbond = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/unbond',
    operationId: 'unbond',
    tag: 'Subscriptions',
    summary: 'Begin to unbond, by signature',
    description:
      'First without a body, then with the signed payload. The device takes no new work from then on.',
    auth: { session: true },
    signed: true,
    params: SubscriptionParams,
    json: twoStepBody(unbondPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
    responses: twoStepResponses(unbondPayload),
  },
  (c, { params: { subscription_id } }) => end(c, subscription_id, 'unbond'),
)

export const withdraw = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/withdraw',
    operationId: 'withdraw',
    tag: 'Subscriptions',
    summary: 'Take the collateral back, by signature',
    description:
      'Once unbonding has ended and no slash is pending. The collateral goes to the owner, and the subscription is closed.',
    auth: { session: true },
    signed: true,
    params: SubscriptionParams,
    json: twoStepBody(withdrawPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
    responses: twoStepResponses(withdrawPayload),
  },
  (c, { params: { subscription_id } }) => end(c, subscription_id, 'withdraw'),
)

async function end(c: HubContext, id: string, action: 'unbond' | 'withdraw'): Promise<Answer> {
  const subscription = await requireSubscription(c, id)
  const account = sessionOf(c).address
  return twoSteps(c, {
    action,
    account,
    message: { owner: account, subscriptionId: subscription.subscriptionId },
    requireState: () => requireCall(c, subscription, action),
  })
}
