import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineGaslessRoute } from '../../relay/gasless-route.ts'
import { payloadExample } from '../../relay/gasless-schema.ts'
import { prepareOrSubmit } from '../../relay/gasless-steps.ts'
import type { OwnedAction } from '../../relay/submit.ts'
import { requireCall, requireSubscription } from './access.ts'
import { SubscriptionParams } from './schema.ts'

const message = { owner: example.wallet, subscriptionId: example.digest }
const unbondPayload = payloadExample('unbond', message)
const withdrawPayload = payloadExample('withdraw', message)

export const unbond = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/unbond',
    operationId: 'unbond',
    tag: 'Subscriptions',
    summary: 'Begin to unbond, by signature',
    description:
      'First without a body, then with the signed payload. The device takes no new work from then on.',
    params: SubscriptionParams,
    steps: prepareOrSubmit(unbondPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
  },
  (c, { params: { subscription_id } }) => actionOf(c, subscription_id, 'unbond'),
)

export const withdraw = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/withdraw',
    operationId: 'withdraw',
    tag: 'Subscriptions',
    summary: 'Take the collateral back, by signature',
    description:
      'Once unbonding has ended and no slash is pending. The collateral goes to the owner, and the subscription is closed.',
    params: SubscriptionParams,
    steps: prepareOrSubmit(withdrawPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
  },
  (c, { params: { subscription_id } }) => actionOf(c, subscription_id, 'withdraw'),
)

async function actionOf(c: HubContext, id: string, action: 'unbond' | 'withdraw'): Promise<OwnedAction> {
  const [subscription, now] = await Promise.all([requireSubscription(c, id), c.var.services.clock.now()])
  const account = sessionOf(c).address
  return {
    action,
    account,
    message: { owner: account, subscriptionId: subscription.subscriptionId },
    requireState: () => requireCall(c, subscription, action, now),
  }
}
