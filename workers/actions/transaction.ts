import * as z from 'zod'
import type { RelayView } from '../../durable-objects/relayer/object.ts'
import { transactionStatuses } from '../../protocol/actions/index.ts'
import { example } from '../examples.ts'
import { Bytes32, Timestamp } from '../http/formats.ts'
import type { Transaction as StoredTransaction } from '../stores/transactions.ts'

export const Transaction = z
  .strictObject({
    id: Bytes32.describe(
      'EIP-712 digest of the action if its owner signed it; otherwise an id of the hub, as for a faucet drip.',
    ),
    action: z.string(),
    status: z.enum(transactionStatuses),
    tx_hash: Bytes32.optional(),
    indexed: z.boolean().describe('Whether it is confirmed and its effects are in the records of the hub.'),
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
  indexed: true,
  error: null,
  confirmations: 3,
  created_at: example.time,
  updated_at: example.time + 12,
}

/** Actions that change no record of the hub: there is no event to wait for. */
const actionsWithoutEvents: readonly string[] = ['faucet']

/** @param found The record of the relayer or its copy, and whether an event of the transaction is indexed. */
export const transactionView = (found: (RelayView | StoredTransaction) & { hasEvents: boolean }) => ({
  id: found.id,
  action: found.action,
  status: found.status,
  ...(found.txHash !== null && { tx_hash: found.txHash }),
  indexed: found.status === 'confirmed' && (found.hasEvents || actionsWithoutEvents.includes(found.action)),
  error: found.error,
  confirmations: found.confirmations,
  created_at: found.createdAt,
  updated_at: found.updatedAt,
})
