import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachOf } from '../testing/arbitraries.ts'
import { property } from '../testing/property.ts'
import { describeVectors } from '../vectors/suite.ts'
import { capUnits, computeRewards, type MinerUnits, type RewardTerms, sumUnits } from './rewards.ts'

describeVectors('units', 'amounts')

const miner = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const someUnits = eachOf(fc.uniqueArray(fc.nat(200), { maxLength: 12 }), (id) =>
  fc.record({ miner: fc.constant(miner(id)), units: fc.integer({ min: 1, max: 10 ** 9 }) }),
).map((list: MinerUnits[]) => list.sort((a, b) => (a.miner < b.miner ? -1 : 1)))
const terms: fc.Arbitrary<RewardTerms> = fc.record({
  reward_model: fc.constantFrom('per-unit', 'epoch-pool'),
  reward_per_unit: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  daily_emission: fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String),
  fee_split_bp: fc
    .integer({ min: 5000, max: 10_000 })
    .chain((bp) => fc.nat(10_000 - bp).map((developer) => ({ miner: bp, developer }))),
})

describe('computeRewards', () => {
  property(
    'pays at most the cap, and its parts give the gross amount with nothing negative',
    [terms, fc.constantFrom(3600, 10_800, 86_400), someUnits],
    (rules, epochSecs, units) => {
      const { epoch_cap: cap, shares, totals } = computeRewards(rules, epochSecs, units)
      const [gross, paid, developer, treasury] = [
        totals.gross,
        totals.miner,
        totals.developer,
        totals.treasury,
      ].map(BigInt) as [bigint, bigint, bigint, bigint]
      expect(gross <= BigInt(cap)).toBe(true)
      expect(paid + developer + treasury).toBe(gross)
      expect(treasury >= 0n).toBe(true)
      expect(shares.reduce((sum, share) => sum + BigInt(share.amount), 0n)).toBe(paid)
    },
  )

  property(
    'the treasury has its share and all dust, which is less than one unit of tokens a recipient',
    [terms, someUnits],
    (rules, units) => {
      const { epoch_cap: cap, shares, totals } = computeRewards(rules, 3_600, units)
      const { miner: minerBp, developer: developerBp } = rules.fee_split_bp
      const gross = BigInt(totals.gross)
      const dust = BigInt(totals.treasury) * 10_000n - gross * BigInt(10_000 - minerBp - developerBp)
      expect(dust >= 0n && dust < BigInt(shares.length + 1) * 10_000n).toBe(true)
      if (rules.reward_model === 'epoch-pool' && units.length > 0)
        expect(BigInt(cap) - gross < BigInt(units.length)).toBe(true)
    },
  )

  property('nobody with fewer units is paid more', [terms, someUnits], (rules, units) => {
    const shares = [...computeRewards(rules, 3_600, units).shares].sort((a, b) => a.units - b.units)
    const amounts = shares.map((share) => BigInt(share.amount))
    expect(amounts.every((amount, i) => i === 0 || amounts[i - 1]! <= amount)).toBe(true)
  })
})

describe('capUnits', () => {
  property(
    'respects both caps, ascends, and never gives anybody more',
    [someUnits, fc.nat(12), fc.nat(10 ** 6)],
    (units, maxRecipients, maxUnits) => {
      const before = new Map(units.map((one) => [one.miner, one.units]))
      const capped = capUnits(units, maxRecipients, maxUnits)
      if (maxRecipients > 0) expect(capped.length).toBeLessThanOrEqual(maxRecipients)
      if (maxUnits > 0) expect(capped.reduce((sum, one) => sum + one.units, 0)).toBeLessThanOrEqual(maxUnits)
      expect(capped.every((one) => one.units > 0 && one.units <= before.get(one.miner)!)).toBe(true)
      expect(capped.map((one) => one.miner)).toEqual(capped.map((one) => one.miner).sort())
    },
  )
})

test('sumUnits: a sum too large for a receipt is refused', () => {
  const records = [1, 2].map(() => ({
    gas_used: Number.MAX_SAFE_INTEGER,
    voters: [{ payout_address: miner(1) }],
  }))
  expect(() => sumUnits(records, 1)).toThrowError(expect.objectContaining({ code: 'invalid_field' }))
})
