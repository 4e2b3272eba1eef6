import type { RelayView } from '../../../durable-objects/relayer/object.ts'
import { defineGaslessRoute } from '../../actions/gasless-route.ts'
import { payloadExample } from '../../actions/gasless-schema.ts'
import { prepareOrSubmit } from '../../actions/gasless-steps.ts'
import type { OwnedAction } from '../../actions/submit.ts'
import { requireContracts } from '../../chain/contracts.ts'
import { networkToken } from '../../chain/token.ts'
import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { WithdrawalStore } from '../../stores/withdrawals.ts'
import { subscriptionFor } from './access.ts'
import { SubscriptionParams, standingAt } from './schema.ts'

const message = { owner: example.wallet, subscriptionId: example.digest }
const unbondPayload = payloadExample('unbond', message)
const withdrawPayload = payloadExample('withdraw', message)

export const unbond = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/unbond',
    operationId: 'unbond',
    tag: 'Subscriptions',
    summary: 'Start unbonding, by signature',
    description:
      'Call it first without a body, then with the signed payload. The device gets no new work from then on.',
    params: SubscriptionParams,
    steps: prepareOrSubmit(unbondPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
  },
  async (c, { params: { subscription_id } }) => (await actionOn(c, subscription_id, 'unbond')).action,
)

export const withdraw = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/withdraw',
    operationId: 'withdraw',
    tag: 'Subscriptions',
    summary: 'Withdraw the collateral, by signature',
    description:
      'Possible once unbonding has ended and no slash is pending. The contract pays the collateral to the owner, and the subscription is closed.',
    params: SubscriptionParams,
    steps: prepareOrSubmit(withdrawPayload),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
  },
  async (c, { params: { subscription_id } }) => {
    const { subscription, action } = await actionOn(c, subscription_id, 'withdraw')
    return { ...action, onRelayed: (relay) => recordWithdrawal(c, subscription, relay) }
  },
)

async function actionOn(c: HubContext, subscriptionId: string, name: 'unbond' | 'withdraw') {
  const { subscription, requireState } = await subscriptionFor(c, subscriptionId, name)
  const account = sessionOf(c).address
  const action: OwnedAction = {
    action: name,
    account,
    message: { owner: account, subscriptionId: subscription.subscriptionId },
    requireState,
  }
  return { subscription, action }
}

/** The list of withdrawals shows it from here on. */
const recordWithdrawal = (
  c: HubContext,
  subscription: Subscription,
  { id, createdAt }: Pick<RelayView, 'id' | 'createdAt'>,
): Promise<void> =>
  c.var.services.store(WithdrawalStore).recordCollateral({
    withdrawalId: id,
    account: sessionOf(c).address,
    amount: standingAt(subscription, createdAt).collateral,
    token: networkToken(c.var.settings.PROFILE, requireContracts(c).token),
    requestedAt: createdAt,
    subscriptionId: subscription.subscriptionId,
  })
