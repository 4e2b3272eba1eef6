import * as z from 'zod'
import type { RelayView } from '../../../durable-objects/relayer/object.ts'
import { Transaction, transactionExample, transactionView } from '../../actions/transaction.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { PathBytes32 } from '../../http/formats.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import { defineRoute, ok } from '../../route.ts'

export const getTransaction = defineRoute(
  {
    method: 'get',
    path: '/v1/transactions/{id}',
    operationId: 'getTransaction',
    tag: 'Network',
    summary: 'Follow a relayed action',
    description:
      'An action can be read as soon as it is accepted. A client address may ask for 60 unknown ids per minute.',
    params: z.object({
      id: PathBytes32.meta({
        description:
          'EIP-712 digest of the action if its owner signed it; otherwise an id of the hub, as for a faucet drip. Or the hash of the transaction that carries it, once it is sent.',
        example: example.digest,
      }),
    }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The progress of the action to the chain.', Transaction, transactionExample),
  },
  async (c, { params }) => {
    const found = (await c.var.services.transactions.find(params.id)) ?? (await askRelayer(c, params.id))
    if (!found)
      throw new ApiError('not_found', `This hub has relayed no action with the digest ${params.id}.`)
    return json(transactionView(found))
  },
)

/**
 * The relayer knows an action before any copy of the database does. It is one object that everything on its way to the
 * chain goes through, so nobody may ask it for many that it does not know.
 */
async function askRelayer(c: HubContext, id: string): Promise<(RelayView & { hasEvents: boolean }) | null> {
  const { relayer } = c.var.services
  if (relayer === null) return null
  await spendAddressBudget(c, 'unknown_transaction')
  const relay = await relayer.find(id)
  return relay && { ...relay, hasEvents: false }
}
