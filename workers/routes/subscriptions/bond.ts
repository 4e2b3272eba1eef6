import * as z from 'zod'
import { defineGaslessRoute } from '../../actions/gasless-route.ts'
import { payloadExample } from '../../actions/gasless-schema.ts'
import { prepareOnly, submitOnly } from '../../actions/gasless-steps.ts'
import type { OwnedAction } from '../../actions/submit.ts'
import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { Amount } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { subscriptionFor } from './access.ts'
import { SubscriptionParams } from './schema.ts'

export const bondExample = payloadExample('bond', {
  owner: example.wallet,
  projectId: example.manifestAddress,
  nodeKey: example.digest,
  amount: '6000000000000000000',
})

export const BondRequest = z
  .strictObject({
    amount: Amount.refine((amount) => amount !== '0', 'must be above 0'),
  })
  .meta({ id: 'BondRequest' })

const errors = ['not_found', 'not_owner', 'invalid_state'] as const

export const getBondPayload = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/bond-payload',
    operationId: 'getBondPayload',
    tag: 'Subscriptions',
    summary: 'Get the payload to sign to add collateral',
    description:
      'For the first bond and for a top-up. The permit in the answer allows the contract to take the amount.',
    params: SubscriptionParams,
    steps: prepareOnly(bondExample, BondRequest, { amount: '1000000000000000000' }),
    errors,
  },
  async (c, { params: { subscription_id } }) => ({
    ...(await bondOf(c, subscription_id)),
    requested: ({ amount }) => ({ amount }),
  }),
)

export const bond = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/bond',
    operationId: 'bond',
    tag: 'Subscriptions',
    summary: 'Bond collateral by signature',
    description:
      'Send the payload of a new subscription or of `bond-payload`, with the signatures of bond and permit. Without a permit the wallet must have approved the contract itself.',
    params: SubscriptionParams,
    steps: submitOnly(bondExample),
    errors: [...errors, 'conflict', 'insufficient_collateral'],
  },
  (c, { params: { subscription_id } }) => bondOf(c, subscription_id),
)

async function bondOf(c: HubContext, subscriptionId: string): Promise<OwnedAction> {
  const { subscription, requireState } = await subscriptionFor(c, subscriptionId, 'bond')
  return { ...bondAction(sessionOf(c).address, subscription), requireState }
}

/** The amount is what `prepare` asks for, and what the owner signs. */
export const bondAction = (
  owner: string,
  { projectId, nodeKey }: Pick<Subscription, 'projectId' | 'nodeKey'>,
  amount?: string,
) => ({
  action: 'bond' as const,
  account: owner,
  message: { owner, projectId, nodeKey, ...(amount !== undefined && { amount }) },
})
