import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { initialFees, replacementFees } from './fees.ts'

const gwei = 10n ** 9n
const cap = 100n * gwei
const wei = fc.bigInt({ min: 1n, max: 200n * gwei })
const market = fc.record({ baseFeeWei: wei, tipWei: wei })

describe('initialFees', () => {
  test('leaves room for the base fee to double', () => {
    const fees = initialFees({ baseFeeWei: 10n * gwei, tipWei: gwei }, cap)
    expect(fees).toEqual({ maxFeeWei: 21n * gwei, tipWei: gwei })
  })

  test('never exceeds the cap, and returns no fees that are too low to be mined now', () => {
    fc.assert(
      fc.property(market, (at) => {
        const fees = initialFees(at, cap)
        expect(fees === null).toBe(at.baseFeeWei + at.tipWei > cap)
        if (fees === null) return
        expect(fees.maxFeeWei).toBeLessThanOrEqual(cap)
        expect(fees.maxFeeWei).toBeGreaterThanOrEqual(at.baseFeeWei + at.tipWei)
      }),
    )
  })
})

describe('replacementFees', () => {
  test('raises both fees by a tenth or more, within the cap, or leaves them', () => {
    fc.assert(
      fc.property(market, market, (first, later) => {
        const previous = initialFees(first, cap)
        const raised = previous && replacementFees(previous, later, cap)
        if (!previous || !raised) return
        expect(raised.maxFeeWei * 10n).toBeGreaterThanOrEqual(previous.maxFeeWei * 11n)
        expect(raised.tipWei * 10n).toBeGreaterThanOrEqual(previous.tipWei * 11n)
        expect(raised.maxFeeWei).toBeLessThanOrEqual(cap)
        expect(raised.tipWei).toBeLessThanOrEqual(raised.maxFeeWei)
      }),
      { numRuns: 1_000 },
    )
  })

  test('follows the market after a rise of more than an eighth', () => {
    const previous = { maxFeeWei: 2n * gwei, tipWei: gwei }
    const raised = replacementFees(previous, { baseFeeWei: 30n * gwei, tipWei: gwei }, cap)
    expect(raised?.maxFeeWei).toBeGreaterThan(60n * gwei)
  })

  test('stops at the cap', () => {
    let fees = { maxFeeWei: gwei, tipWei: gwei }
    let raises = 0
    for (let next = replacementFees(fees, { baseFeeWei: gwei, tipWei: gwei }, cap); next; raises++) {
      fees = next
      next = replacementFees(fees, { baseFeeWei: gwei, tipWei: gwei }, cap)
    }
    expect(raises).toBeLessThan(60)
    expect(fees.maxFeeWei * 11n).toBeGreaterThan(cap * 10n)
  })
})
