import * as z from 'zod'
import { GaslessPayload, previewQuery } from '../../actions/gasless-schema.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, NodeId } from '../../http/formats.ts'
import { defineRoute, reply } from '../../route.ts'
import { beginSubscriptions, SubscriptionInput } from './begin.ts'
import { bondExample } from './bond.ts'
import { subscriptionExample } from './schema.ts'

const itemsMax = 200

const SubscriptionBatch = z
  .strictObject({
    items: z
      .array(SubscriptionInput)
      .min(1, 'must have at least one item')
      .max(itemsMax, `must have at most ${itemsMax} items`),
  })
  .meta({ id: 'SubscriptionBatch' })

const SubscriptionBatchResult = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          project_id: Bytes32,
          node_id: NodeId,
          subscription_id: Bytes32.optional().describe('Absent where nothing began.'),
          error: z.string().nullable().describe('The code of the error, as of `POST /v1/subscriptions`.'),
        })
        .meta({ id: 'SubscriptionBatchItem' }),
    ),
    bond: GaslessPayload.optional().describe('The first of `bonds`; absent where nothing began.'),
    bonds: z
      .array(GaslessPayload)
      .describe(
        'The bond of each subscription that began, in the order of the items. The contract takes a signature for each. All can be signed at once, since each has the nonce after that of the one before it; send them to `POST …/bond` in this order, each once the one before it is confirmed. If one is never relayed, `POST …/bond-payload` answers those after it again. Only the first has a preview.',
      ),
  })
  .meta({ id: 'SubscriptionBatchResult' })

const { project_id, node_id, subscription_id } = subscriptionExample

export const createSubscriptions = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions/batch',
    operationId: 'createSubscriptions',
    tag: 'Subscriptions',
    summary: 'Subscribe several devices',
    description: `Takes ${itemsMax} items at most. An item that is refused does not keep the others from beginning.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    query: z.strictObject(previewQuery),
    json: {
      schema: SubscriptionBatch,
      example: { items: [{ project_id, node_id, collateral: '6000000000000000000' }] },
    },
    responses: reply(
      201,
      'What became of each item, in their order.',
      SubscriptionBatchResult,
      {
        items: [{ project_id, node_id, subscription_id, error: null }],
        bond: bondExample,
        bonds: [bondExample],
      },
      { Location: 'The list of your subscriptions.' },
    ),
  },
  async (c, { json: { items } }) => {
    const { outcomes, bonds } = await beginSubscriptions(c, items)
    const results = outcomes.map((outcome, i) => ({
      project_id: items[i]?.project_id,
      node_id: items[i]?.node_id,
      ...('code' in outcome
        ? { error: outcome.code }
        : { subscription_id: outcome.subscriptionId, error: null }),
    }))
    return json({ items: results, ...(bonds[0] && { bond: bonds[0] }), bonds }, 201, {
      Location: '/v1/me/subscriptions',
    })
  },
)
