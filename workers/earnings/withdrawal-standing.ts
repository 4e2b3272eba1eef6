import type { withdrawalStates } from '../../protocol/actions/index.ts'
import type { Withdrawal } from '../stores/withdrawals.ts'

/** Where a withdrawal stands. Amounts in decimal, times in Unix seconds. */
export interface WithdrawalStanding {
  status: (typeof withdrawalStates)[number]
  amount: string
  txHash: string | null
  completedAt: number | null
  error: string | null
}

/**
 * Where a withdrawal stands, by its row, by its transaction and by what the chain says. While the chain may take back that
 * all was paid, it follows from the chain each time.
 */
export function withdrawalStanding(withdrawal: Withdrawal): WithdrawalStanding {
  return withdrawal.kind === 'claim' ? claimStanding(withdrawal) : collateralStanding(withdrawal)
}

function claimStanding(withdrawal: Withdrawal): WithdrawalStanding {
  const { state, amount, relay, payment, error } = withdrawal
  if (state !== 'open') {
    const { completedAt, txHash } = withdrawal
    return { status: state, amount, txHash: txHash ?? relay?.txHash ?? null, completedAt, error }
  }
  if (payment !== null)
    return {
      status: 'completed',
      amount,
      txHash: payment.txHash,
      completedAt: payment.at,
      error: null,
    }
  const isOnItsWay = relay !== null && relay.status !== 'reverted' && relay.status !== 'failed'
  return {
    status: isOnItsWay ? 'processing' : 'pending',
    amount,
    txHash: relay?.txHash ?? null,
    completedAt: null,
    error,
  }
}

function collateralStanding({ amount, relay, withdrawn }: Withdrawal): WithdrawalStanding {
  const txHash = relay?.txHash ?? null
  switch (relay?.status) {
    case undefined:
      return { status: 'pending', amount, txHash, completedAt: null, error: null }
    case 'confirmed':
      return {
        status: 'completed',
        amount: withdrawn?.amount ?? amount,
        txHash,
        completedAt: withdrawn?.at ?? relay?.updatedAt ?? null,
        error: null,
      }
    case 'reverted':
    case 'failed':
      return { status: 'failed', amount, txHash, completedAt: null, error: relay?.error ?? null }
    default:
      return { status: 'processing', amount, txHash, completedAt: null, error: null }
  }
}
