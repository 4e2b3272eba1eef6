import * as z from 'zod'
import { bondBatchMax } from '../../../protocol/actions/index.ts'
import { GaslessPayload, previewQuery } from '../../actions/gasless-schema.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, NodeId } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { beginSubscriptions, SubscriptionInput } from './begin.ts'
import { batchAction, bondBatchExample } from './bond-batch.ts'
import { subscriptionExample } from './schema.ts'

const SubscriptionBatch = z
  .strictObject({
    items: z
      .array(SubscriptionInput)
      .min(1, 'must have at least one item')
      .max(bondBatchMax, `must have at most ${bondBatchMax} items`),
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
    bond: GaslessPayload.optional().describe(
      'Bonds all that began, in the order of the items: `bond_batch`, to be sent to `POST /v1/subscriptions/batch/bond`. Absent where nothing began.',
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
    description: `Takes ${bondBatchMax} items at most. An item that is refused does not keep the others from beginning. Those that began are bonded with one signature, which signs the bond of the answer.`,
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
      'The outcome of each item, in the order of the items.',
      SubscriptionBatchResult,
      {
        items: [{ project_id, node_id, subscription_id, error: null }],
        bond: bondBatchExample,
      },
      { Location: 'The list of your subscriptions.' },
    ),
  },
  async (c, { json: { items } }) => {
    const { outcomes, bond } = await beginSubscriptions(c, items, (begun) =>
      batchAction(
        sessionOf(c).address,
        begun.map((one) => ({ ...one, amount: one.collateral })),
      ),
    )
    const results = outcomes.map((outcome, i) => ({
      project_id: items[i]?.project_id,
      node_id: items[i]?.node_id,
      ...('code' in outcome
        ? { error: outcome.code }
        : { subscription_id: outcome.subscriptionId, error: null }),
    }))
    return json({ items: results, ...(bond && { bond }) }, 201, {
      Location: '/v1/me/subscriptions',
    })
  },
)
