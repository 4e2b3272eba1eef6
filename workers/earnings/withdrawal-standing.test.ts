import { describe, expect, test } from 'vitest'
import type { Withdrawal } from '../stores/withdrawals.ts'
import { withdrawalStanding } from './withdrawal-standing.ts'

const token = { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub', decimals: 18 }
const claim: Withdrawal = {
  withdrawalId: 'w',
  kind: 'claim',
  account: `0x${'01'.repeat(20)}`,
  amount: '9',
  token,
  requestedAt: 1,
  projectId: `0x${'02'.repeat(32)}`,
  vault: `0x${'03'.repeat(20)}`,
  epochs: [7],
  unpaid: 1,
  subscriptionId: null,
  state: 'open',
  relayId: null,
  txHash: null,
  completedAt: null,
  error: null,
  relay: null,
  payment: null,
  withdrawn: null,
}
const relayOf = (status: NonNullable<Withdrawal['relay']>['status'], error: string | null = null) => ({
  status,
  error,
  txHash: '0x0a',
  updatedAt: 5,
})

describe('payouts', () => {
  test.each([
    ['nothing was sent', {}, { status: 'pending', txHash: null }],
    ['accepted', { relay: relayOf('queued') }, { status: 'processing', txHash: '0x0a' }],
    ['sent', { relay: relayOf('sent') }, { status: 'processing', txHash: '0x0a' }],
    ['in a block, not indexed yet', { relay: relayOf('confirmed') }, { status: 'processing' }],
    ['reverted', { relay: relayOf('reverted', 'no'), error: 'no' }, { status: 'pending', error: 'no' }],
    ['its nonce was used by another transaction', { relay: relayOf('failed') }, { status: 'pending' }],
    [
      'paid by another sender, after an error',
      { error: 'no', payment: { at: 8, txHash: '0x0b' } },
      { status: 'completed', txHash: '0x0b', completedAt: 8, error: null },
    ],
    [
      'over',
      { state: 'completed', txHash: '0x0c', completedAt: 9, amount: '4', relay: relayOf('confirmed') },
      { status: 'completed', txHash: '0x0c', completedAt: 9, amount: '4' },
    ],
    [
      'over, and nothing was paid',
      { state: 'failed', error: 'refused', relay: relayOf('confirmed') },
      { status: 'failed', txHash: '0x0a', completedAt: null, error: 'refused' },
    ],
  ] as const)('%s', (_, change, standing) => {
    expect(withdrawalStanding({ ...claim, ...change })).toMatchObject({ amount: '9', ...standing })
  })
})

describe('collateral', () => {
  const collateral: Withdrawal = { ...claim, kind: 'collateral', unpaid: 0, epochs: [] }
  test.each([
    ['not copied yet', {}, { status: 'pending', txHash: null }],
    ['sent', { relay: relayOf('sent') }, { status: 'processing', txHash: '0x0a' }],
    ['confirmed, not indexed yet', { relay: relayOf('confirmed') }, { status: 'completed', completedAt: 5 }],
    [
      'withdrawn, less than requested',
      { relay: relayOf('confirmed'), withdrawn: { amount: '3', at: 4 } },
      { status: 'completed', amount: '3', completedAt: 4 },
    ],
    ['reverted', { relay: relayOf('reverted', 'no') }, { status: 'failed', error: 'no', completedAt: null }],
  ] as const)('%s', (_, change, standing) => {
    expect(withdrawalStanding({ ...collateral, ...change })).toMatchObject({ amount: '9', ...standing })
  })
})
