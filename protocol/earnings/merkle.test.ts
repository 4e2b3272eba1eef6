import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { eachOf, withShuffled } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { buildPayoutTree, hashPayoutLeaf, verifyPayoutProof } from './merkle.ts'

describeVectors('merkle')

const projectId = `0x${'5e'.repeat(32)}`
const payouts = eachOf(fc.uniqueArray(fc.nat(10 ** 6), { minLength: 1, maxLength: 40 }), (id) =>
  fc.record({
    miner: fc.constant(`0x${id.toString(16).padStart(40, '0')}`),
    amount: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(String),
  }),
)

describe('buildPayoutTree', () => {
  property(
    'every proof leads to the root, and no other amount or epoch does',
    [payouts, fc.nat()],
    (list, epoch) => {
      const tree = buildPayoutTree(projectId, epoch, list)!
      for (const { miner, amount, proof } of tree.leaves) {
        const verify = (given: string, at: number) =>
          verifyPayoutProof(tree.root, hashPayoutLeaf(projectId, at, { miner, amount: given }), proof)
        expect(verify(amount, epoch)).toBe(true)
        expect(verify(String(BigInt(amount) - 1n), epoch)).toBe(false)
        expect(verify(amount, epoch + 1)).toBe(false)
      }
    },
    { numRuns: 20 },
  )

  property(
    'the order of the payouts does not change the root',
    [withShuffled(payouts)],
    ([list, shuffled]) => {
      const tree = buildPayoutTree(projectId, 7, list)!
      const again = buildPayoutTree(projectId, 7, shuffled)!
      expect(again.root).toBe(tree.root)
      expect(again.leaves).toEqual(expect.arrayContaining([...tree.leaves]))
    },
    { numRuns: 20 },
  )
})
