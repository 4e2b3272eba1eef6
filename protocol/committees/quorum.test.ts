import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quorum } from './quorum.ts'

const sizes = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 40 }))

test('property: any two quorums share more than a third, so two results need that many members that lie', () => {
  fc.assert(
    fc.property(sizes, (n) => {
      expect(3 * (2 * quorum(n) - n)).toBeGreaterThan(n)
    }),
  )
})

test('property: all together are a quorum, and so are those that fewer than a third leave', () => {
  fc.assert(
    fc.property(sizes, (n) => {
      expect(quorum(n)).toBeLessThanOrEqual(n)
      expect(n - Math.ceil(n / 3 - 1)).toBeGreaterThanOrEqual(quorum(n))
    }),
  )
})

test('nobody is no quorum', () => {
  expect(quorum(0)).toBeGreaterThan(0)
})
