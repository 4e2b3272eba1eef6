import type { withdrawalStates } from '../../protocol/actions/index.ts'
import type { Withdrawal } from '../stores/withdrawals.ts'

/** The status of a withdrawal. Amounts in decimal, times in Unix seconds. */
export interface WithdrawalStanding {
  status: (typeof withdrawalStates)[number]
  amount: string
  txHash: string | null
  completedAt: number | null
  error: string | null
}

/** The status of a withdrawal, from its row, its transaction and the chain. While a reorganisation may undo the payment, the chain decides. */
export const withdrawalStanding = (withdrawal: Withdrawal): WithdrawalStanding => ({
  ...{ amount: withdrawal.amount, txHash: withdrawal.relay?.txHash ?? null, completedAt: null, error: null },
  ...(withdrawal.kind === 'claim' ? claimStanding(withdrawal) : collateralStanding(withdrawal)),
})

type Difference = Pick<WithdrawalStanding, 'status'> & Partial<WithdrawalStanding>

function claimStanding({ state, relay, payment, error, ...ended }: Withdrawal): Difference {
  if (state !== 'open') {
    const { completedAt, txHash } = ended
    return { status: state, completedAt, error, ...(txHash !== null && { txHash }) }
  }
  if (payment !== null) return { status: 'completed', txHash: payment.txHash, completedAt: payment.at }
  const isOnItsWay = relay !== null && relay.status !== 'reverted' && relay.status !== 'failed'
  return { status: isOnItsWay ? 'processing' : 'pending', error }
}

function collateralStanding({ amount, relay, withdrawn }: Withdrawal): Difference {
  switch (relay?.status) {
    case undefined:
      return { status: 'pending' }
    case 'confirmed': {
      const completedAt = withdrawn?.at ?? relay?.updatedAt ?? null
      return { status: 'completed', amount: withdrawn?.amount ?? amount, completedAt }
    }
    case 'reverted':
    case 'failed':
      return { status: 'failed', error: relay?.error ?? null }
    default:
      return { status: 'processing' }
  }
}
