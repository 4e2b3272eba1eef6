import { expect, test } from 'vitest'
import { epochStates } from '../../../protocol/earnings/index.ts'
import { epochPollMs } from './epoch-reads.ts'

test('an epoch is read again until its settlement is over, and seldom once it is settled', () => {
  const everyMs = epochStates.map((status) => [
    status,
    epochPollMs({ state: { status: 'success', data: { status } } }),
  ])
  expect(Object.fromEntries(everyMs)).toEqual({
    open: 15_000,
    closed: 15_000,
    attested: 15_000,
    submitted: 15_000,
    settled: 300_000,
    released: false,
    vetoed: false,
    underfunded: 15_000,
  })
  expect(epochPollMs({ state: { status: 'pending' } })).toBe(15_000)
  expect(epochPollMs({ state: { status: 'error', data: { status: 'open' } } })).toBe(false)
})
