import { describe, expect, test } from 'vitest'
import { outcomeOf } from './round-outcomes.ts'

const node = { nodeKey: 'node', role: 'primary', refused: null } as const
const vote = (receipt_hash: string, public_key = 'node') => ({ public_key, receipt_hash })
const record = (...voters: string[]) => ({
  receipt_hash: 'right',
  voters: voters.map((public_key) => ({ public_key, payout_address: 'wallet' })),
})
const none = { disagreements: 0, missedLeases: 0 }

describe('a member', () => {
  test('that the record names is credited', () => {
    expect(outcomeOf(node, record('node'), [vote('right'), vote('wrong', 'other')])).toEqual({
      ...none,
      status: 'verified',
      reason: null,
      receiptHash: 'right',
    })
  })

  test('that the record names disagrees with its second vote', () => {
    expect(outcomeOf(node, record('node'), [vote('right'), vote('wrong')])).toMatchObject({
      status: 'verified',
      disagreements: 1,
    })
  })

  test.each([
    [['wrong'], 1],
    [['right', 'wrong'], 1],
    [['wrong', 'worse', 'wrong'], 2],
  ])('that voted %j disagrees %i times', (receipts, disagreements) => {
    expect(
      outcomeOf(
        node,
        record('other'),
        receipts.map((one) => vote(one)),
      ),
    ).toEqual({
      status: 'rejected',
      reason: 'disagreed',
      receiptHash: receipts.filter((one) => one !== 'right').sort()[0],
      disagreements,
      missedLeases: 0,
    })
  })

  test('that was right when validators had been asked is late, and misses nothing', () => {
    expect(outcomeOf(node, record('other'), [vote('right')])).toEqual({
      ...none,
      status: 'rejected',
      reason: 'late',
      receiptHash: 'right',
    })
  })

  test.each([
    [null, 'missed', 'missed'],
    ['late', 'rejected', 'late'],
    ['invalid_vote', 'rejected', 'invalid_vote'],
  ] as const)(
    'without a valid vote, refused as %s: %s, %s; a primary has missed its lease',
    (refused, status, reason) => {
      const outcome = { status, reason, receiptHash: null, disagreements: 0 }
      expect(outcomeOf({ ...node, refused }, record(), [])).toEqual({ ...outcome, missedLeases: 1 })
      expect(outcomeOf({ ...node, role: 'backup', refused }, record(), [])).toEqual({
        ...outcome,
        missedLeases: 0,
      })
    },
  )
})
