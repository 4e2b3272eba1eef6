import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { parseOptionalJsonBody } from '../../http/body.ts'
import { Amount } from '../../http/formats.ts'
import { validate } from '../../http/validate.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { payloadExample, payloadResponse, relayedResponse, signedBody } from '../../relay/gasless-schema.ts'
import { gaslessPayload, relayAction } from '../../relay/relay-action.ts'
import { defineRoute } from '../../route.ts'
import type { Subscription } from '../../stores/subscriptions.ts'
import { requireCall, requireSubscription } from './access.ts'
import { SubscriptionParams } from './schema.ts'

export const bondExample = payloadExample('bond', {
  owner: example.wallet,
  projectId: example.manifestAddress,
  nodeKey: example.digest,
  amount: '6000000000000000000',
})

const BondRequest = z
  .strictObject({
    amount: Amount.refine((amount) => amount !== '0', 'must be above 0'),
  })
  .meta({ id: 'BondRequest' })

const errors = ['not_found', 'not_owner', 'invalid_state'] as const

export const getBondPayload = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/bond-payload',
    operationId: 'getBondPayload',
    tag: 'Subscriptions',
    summary: 'Get what to sign to add collateral',
    description:
      'For the first bond as well as for a top-up. The permit beside it lets the contract take the amount.',
    auth: { session: true },
    params: SubscriptionParams,
    json: { schema: BondRequest, example: { amount: '1000000000000000000' }, deferred: 'required' },
    errors,
    responses: { 200: payloadResponse(bondExample) },
  },
  async (c, { params: { subscription_id } }) => {
    const subscription = await requireSubscription(c, subscription_id)
    requireCall(c, subscription, 'bond')
    const { amount } = validate(BondRequest, parseOptionalJsonBody(c) ?? {})
    return json(await gaslessPayload(c, bondAction(sessionOf(c).address, subscription, amount)))
  },
)

export const bond = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/bond',
    operationId: 'bond',
    tag: 'Subscriptions',
    summary: 'Bond collateral by signature',
    description:
      'Takes the payload of a new subscription or of `bond-payload`, with the signatures of both its parts. Without a permit the wallet must have approved the contract itself.',
    auth: { session: true },
    signed: true,
    params: SubscriptionParams,
    json: signedBody(bondExample),
    errors: [...errors, 'conflict', 'insufficient_collateral'],
    responses: { 202: relayedResponse('bond') },
  },
  async (c, { params: { subscription_id } }) => {
    const subscription = await requireSubscription(c, subscription_id)
    return relayAction(c, {
      ...bondAction(sessionOf(c).address, subscription),
      requireState: () => requireCall(c, subscription, 'bond'),
    })
  },
)

/** In the second step the amount is what the owner signed. */
export const bondAction = (
  owner: string,
  { projectId, nodeKey }: Pick<Subscription, 'projectId' | 'nodeKey'>,
  amount?: string,
) => ({
  action: 'bond' as const,
  account: owner,
  message: { owner, projectId, nodeKey, ...(amount !== undefined && { amount }) },
})
