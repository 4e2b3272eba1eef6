import * as z from 'zod'
import type { RelayView } from '../../../durable-objects/relayer.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { PathBytes32 } from '../../http/formats.ts'
import { defineRoute } from '../../route.ts'
import type { Transaction } from '../../stores/transactions.ts'
import { Transaction as TransactionShape, transactionExample } from './schema.ts'

export const getTransaction = defineRoute(
  {
    method: 'get',
    path: '/v1/transactions/{id}',
    operationId: 'getTransaction',
    tag: 'Network',
    summary: 'Follow a relayed action',
    params: z.object({
      id: PathBytes32.meta({ description: 'EIP-712 digest of the signed action.', example: example.digest }),
    }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: {
      200: {
        description: 'Where the action is on its way to the chain.',
        schema: TransactionShape,
        example: transactionExample,
      },
    },
  },
  async (c, { params }) => {
    const found = await c.var.services.transactions.find(params.id)
    if (!found) throw new ApiError('not_found', `No action with the digest ${params.id} was relayed here.`)
    return json(transactionView(found))
  },
)

/** TxStatus, as reading it and relaying answer it. */
export const transactionView = (found: RelayView | Transaction) => ({
  id: found.id,
  action: found.action,
  status: found.status,
  ...(found.txHash !== null && { tx_hash: found.txHash }),
  error: found.error,
  confirmations: found.confirmations,
  created_at: found.createdAt,
  updated_at: found.updatedAt,
})
