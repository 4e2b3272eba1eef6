import * as z from 'zod'
import { resolvePayout } from '../../../protocol/actions/index.ts'
import { defineGaslessRoute } from '../../actions/gasless-route.ts'
import { payloadExample } from '../../actions/gasless-schema.ts'
import { prepareOrSubmit } from '../../actions/gasless-steps.ts'
import { invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { Address, FoldedAddress } from '../../http/formats.ts'
import { validate } from '../../http/validate.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { subscriptionFor } from './access.ts'
import { SubscriptionParams } from './schema.ts'

const PayoutRequest = z
  .strictObject({
    payout_address: Address.nullable().optional(),
    payout: Address.nullable().optional().describe('Another name of `payout_address`.'),
  })
  .meta({ id: 'PayoutRequest', description: 'Null, the zero address or the owner resets it to the owner.' })

const payload = payloadExample('set_payout', {
  owner: example.wallet,
  subscriptionId: example.digest,
  payout: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
})

export const setPayout = defineGaslessRoute(
  {
    path: '/v1/subscriptions/{subscription_id}/payout',
    operationId: 'setPayout',
    tag: 'Subscriptions',
    summary: 'Set the payout address, by signature',
    description:
      'Call it first with the address, in the body or in the query, then with the signed payload. Epochs that are already settled keep their address.',
    params: SubscriptionParams,
    // Checked after the state.
    query: z.strictObject({
      payout_address: z
        .string()
        .optional()
        .meta({
          description: 'The address, for a first step without a body.',
          schema: { $ref: '#/components/schemas/Address' },
        }),
    }),
    steps: prepareOrSubmit(payload, PayoutRequest),
    errors: ['not_found', 'not_owner', 'invalid_state', 'conflict'],
  },
  async (c, { params: { subscription_id }, query: { payout_address: inQuery } }) => {
    const { subscription, requireState } = await subscriptionFor(c, subscription_id, 'payout')
    const account = sessionOf(c).address
    return {
      action: 'set_payout',
      account,
      message: { owner: account, subscriptionId: subscription.subscriptionId },
      requireState,
      requested: (body) => ({ payout: resolvePayout(account, requestedPayout(body, inQuery)) }),
    }
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
    throw invalidField('payout_address', 'is given more than once, with different values')
  return first
}
