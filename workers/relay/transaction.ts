import * as z from 'zod'
import type { RelayView } from '../../durable-objects/relayer.ts'
import { transactionStatuses } from '../../protocol/actions/index.ts'
import { example } from '../examples.ts'
import { Bytes32, Timestamp } from '../http/formats.ts'
import type { Transaction as StoredTransaction } from '../stores/transactions.ts'

/** A relayed action, as submitting and following it answer. */
export const Transaction = z
  .strictObject({
    id: Bytes32.meta({ description: 'EIP-712 digest of the signed action.' }),
    action: z.string(),
    status: z.enum(transactionStatuses),
    tx_hash: Bytes32.optional(),
    error: z.string().nullable(),
    confirmations: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Transaction' })

export const transactionExample = {
  id: example.digest,
  action: 'bond',
  status: 'confirmed',
  tx_hash: example.manifestAddress,
  error: null,
  confirmations: 3,
  created_at: example.time,
  updated_at: example.time + 12,
}

/** From the relayer itself, or from its copy in the database. */
export const transactionView = (found: RelayView | StoredTransaction) => ({
  id: found.id,
  action: found.action,
  status: found.status,
  ...(found.txHash !== null && { tx_hash: found.txHash }),
  error: found.error,
  confirmations: found.confirmations,
  created_at: found.createdAt,
  updated_at: found.updatedAt,
})
