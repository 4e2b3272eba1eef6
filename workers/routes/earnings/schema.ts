import * as z from 'zod'
import { withdrawalStates } from '../../../protocol/actions/index.ts'
import { withdrawalStanding } from '../../earnings/withdrawal-standing.ts'
import { example } from '../../examples.ts'
import { Address, Amount, Bytes32, Timestamp, TokenView } from '../../http/formats.ts'
import type { Withdrawal } from '../../stores/withdrawals.ts'
import { receiptExample } from '../explorer/schema.ts'
import { tokenExample } from '../projects/example.ts'

export const WithdrawalView = z
  .strictObject({
    withdrawal_id: z.string().meta({
      description: 'For collateral, the id for `GET /v1/transactions/{id}`.',
    }),
    kind: z.enum(['claim', 'collateral']),
    status: z.enum(withdrawalStates).meta({
      description:
        '`pending` until a transaction is on its way, then `processing`. `completed` when the payment is on chain; a reorganisation can revert it for a while. `failed` if nothing was paid: the payouts can then be claimed again.',
    }),
    amount: Amount.meta({ description: 'The requested amount; after the end, the paid amount.' }),
    token: TokenView,
    recipient: Address,
    epochs: z
      .array(
        z
          .strictObject({
            project_id: Bytes32,
            epoch: z.int(),
            fee: Amount.meta({ description: 'The hub takes none.' }),
          })
          .meta({ id: 'WithdrawalEpoch' }),
      )
      .meta({ description: 'The payouts; none for collateral.' }),
    subscription_id: Bytes32.nullable().meta({ description: 'Of collateral.' }),
    fee: Amount,
    tx_hash: Bytes32.nullable().meta({
      description:
        'The latest transaction. Once the withdrawal is completed: the last transaction that paid, from the hub or from another sender.',
    }),
    requested_at: Timestamp,
    completed_at: Timestamp.nullable(),
    error: z
      .string()
      .nullable()
      .meta({ description: 'The reason for a delay, or for an incomplete payment.' }),
  })
  .meta({ id: 'Withdrawal' })

export const withdrawalExample: z.output<typeof WithdrawalView> = {
  withdrawal_id: 'q7Rk2mX9pLw4sTzB00',
  kind: 'claim',
  status: 'processing',
  amount: receiptExample.totals.miner,
  token: tokenExample,
  recipient: example.wallet,
  epochs: [{ project_id: receiptExample.project_id, epoch: receiptExample.round, fee: '0' }],
  subscription_id: null,
  fee: '0',
  tx_hash: example.digest,
  requested_at: example.time,
  completed_at: null,
  error: null,
}

export function withdrawalView(withdrawal: Withdrawal): z.output<typeof WithdrawalView> {
  const { status, amount, txHash, completedAt, error } = withdrawalStanding(withdrawal)
  const { withdrawalId, kind, token, account, projectId, epochs, subscriptionId, requestedAt } = withdrawal
  return {
    withdrawal_id: withdrawalId,
    kind,
    status,
    amount,
    token,
    recipient: account,
    epochs: projectId === null ? [] : epochs.map((epoch) => ({ project_id: projectId, epoch, fee: '0' })),
    subscription_id: subscriptionId,
    fee: '0',
    tx_hash: txHash,
    requested_at: requestedAt,
    completed_at: completedAt,
    error,
  }
}
