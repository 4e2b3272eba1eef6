import * as z from 'zod'
import { resolvePayout } from '../../../protocol/actions/index.ts'
import { invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { Address, FoldedAddress } from '../../http/formats.ts'
import { validate } from '../../http/validate.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { payloadExample, twoStepBody, twoStepResponses } from '../../relay/gasless-schema.ts'
import { twoSteps } from '../../relay/two-steps.ts'
import { defineRoute } from '../../route.ts'
import { requireCall, requireSubscription } from './access.ts'
import { SubscriptionParams } from './schema.ts'

const PayoutRequest = z
  .strictObject({
    payout_address: Address.nullable().optional(),
    payout: Address.nullable().optional().meta({ description: 'The same under another name.' }),
  })
  .meta({ id: 'PayoutRequest', description: 'Null, the zero address or the owner resets it to the owner.' })

const payload = payloadExample('set_payout', {
  owner: example.wallet,
  subscriptionId: example.digest,
  payout: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
})

export const setPayout = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/{subscription_id}/payout',
    operationId: 'setPayout',
    tag: 'Subscriptions',
    summary: 'Set where rewards go, by signature',
    description:
      'First with the address, in the body or in the query, then with the signed payload. Epochs settled before keep the address they had.',
    auth: { session: true },
    signed: true,
    params: SubscriptionParams,
    // Judged by the handler, after the state.
    query: z.strictObject({
      payout_address: z
        .string()
        .optional()
        .meta({
          description: 'For a first step without a body.',
          schema: { $ref: '#/components/schemas/Address' },
        }),
    }),
    json: twoStepBody(payload, PayoutRequest),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
    responses: twoStepResponses(payload),
  },
  async (c, { params: { subscription_id }, query: { payout_address: inQuery } }) => {
    const subscription = await requireSubscription(c, subscription_id)
    const account = sessionOf(c).address
    return twoSteps(c, {
      action: 'set_payout',
      account,
      message: { owner: account, subscriptionId: subscription.subscriptionId },
      requireState: () => requireCall(c, subscription, 'payout'),
      request: PayoutRequest,
      asked: (body) => ({ payout: resolvePayout(account, requestedPayout(body, inQuery)) }),
    })
  },
)

/** @throws {@link ApiError} 400 `invalid_field` when nothing was asked for, or two things. */
function requestedPayout(
  { payout_address: address, payout: alias }: z.output<typeof PayoutRequest>,
  inQuery: string | undefined,
): string | null {
  const { payout_address: folded } = validate(
    z.object({ payout_address: FoldedAddress.optional() }),
    inQuery === undefined ? {} : { payout_address: inQuery },
  )
  const given = [address, alias, folded].filter((one) => one !== undefined)
  const [first] = given
  if (first === undefined)
    throw invalidField(
      'payout_address',
      'is required, in the body or in the query; null resets it',
      'missing',
    )
  if (given.some((one) => one !== first))
    throw invalidField('payout_address', 'is given more than once, and not the same each time')
  return first
}
