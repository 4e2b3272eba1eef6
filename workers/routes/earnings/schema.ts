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
      description: 'For collateral, the id that `GET /v1/transactions/{id}` follows.',
    }),
    kind: z.enum(['claim', 'collateral']),
    status: z.enum(withdrawalStates).meta({
      description:
        '`pending` until a transaction is on its way, then `processing`. `completed` when the chain has paid; a reorganisation may take that back for a while. `failed` when nothing was paid: payouts can be claimed again then.',
    }),
    amount: Amount.meta({ description: 'What is asked for; once it is over, what was paid.' }),
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
      description: 'The latest transaction; once it is completed, the one that paid last, whoever sent it.',
    }),
    requested_at: Timestamp,
    completed_at: Timestamp.nullable(),
    error: z.string().nullable().meta({ description: 'What holds it up, or why not all was paid.' }),
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
