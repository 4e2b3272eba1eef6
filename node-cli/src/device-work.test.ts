import { expect, test } from 'vitest'
import { tokensText, type WorkedFor, workText } from './device-work.ts'

const id = `0x${'ab'.repeat(32)}`
const subscription: WorkedFor = {
  subscription_id: id,
  project_id: id,
  slug: 'hello',
  symbol: 'TOK',
  decimals: 18,
  payout_address: `0x${'11'.repeat(20)}`,
  owner: `0x${'12'.repeat(20)}`,
  status: 'active',
  collateral: '100000000000000000000',
  pending_slashes: 0,
  slashed_total: '0',
  release_at: null,
  earned: '1500000000000000000',
  works_from: null,
}
/** 01:00 where the test runs. */
const one = new Date(2026, 10, 24, 1).getTime() / 1000

test.each([
  ['0', '0 TOK'],
  ['1', '0.000000000000000001 TOK'],
  ['100000000000000000000', '100 TOK'],
  ['1500000000000000000', '1.5 TOK'],
])('%s base units are %s', (amount, text) => {
  expect(tokensText(amount, subscription)).toBe(text)
})

test('says when work can come, and in how long', () => {
  expect(workText({ ...subscription, works_from: one }, one - 43 * 60)).toBe(
    'hello: active, 100 TOK bonded, 1.5 TOK earned by its payout address, work can come from 01:00, in 43 min',
  )
  expect(workText({ ...subscription, works_from: one }, one)).toMatch(/, work comes$/)
  expect(workText({ ...subscription, works_from: one }, one - 2 * 86_400)).toMatch(
    /, work can come from 2026-11-24 01:00, in 2 d$/,
  )
})

test('shows slashes, and until when the collateral stays locked', () => {
  const held = {
    ...subscription,
    status: 'unbonding',
    release_at: one,
    pending_slashes: 1,
    slashed_total: '5',
  }
  expect(workText(held, one - 60)).toBe(
    'hello: unbonding until 01:00, in 1 min, 100 TOK bonded, 1.5 TOK earned by its payout address, 1 open slash, 0.000000000000000005 TOK slashed, no work comes',
  )
})
