import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '../testing/property.ts'
import { epochAt, epochStart } from './epoch.ts'
import { quorum } from './quorum.ts'

const sizes = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 40 }))

property(
  'any two quorums share more than a third, so two results need that many members that lie',
  [sizes],
  (n) => {
    expect(3 * (2 * quorum(n) - n)).toBeGreaterThan(n)
  },
)

property('all together are a quorum, and so are those that fewer than a third leave', [sizes], (n) => {
  expect(quorum(n)).toBeLessThanOrEqual(n)
  expect(n - Math.ceil(n / 3 - 1)).toBeGreaterThanOrEqual(quorum(n))
})

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 3],
  [7, 5],
  [100, 67],
])('quorum(%d) = %d', (n, votes) => {
  expect(quorum(n)).toBe(votes)
})

property('a time lies in its epoch', [fc.nat(), fc.integer({ min: 1, max: 86_400 })], (time, epochSecs) => {
  const epoch = epochAt(time, epochSecs)
  expect(epochStart(epoch, epochSecs)).toBeLessThanOrEqual(time)
  expect(epochStart(epoch + 1, epochSecs)).toBeGreaterThan(time)
})
