import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeRewards } from '../../protocol/earnings/index.ts'
import { type ExpectedTerms, expectedReward } from './expected-reward.ts'

const terms: ExpectedTerms = {
  reward_model: 'per-unit',
  reward_per_unit: '100',
  daily_emission: '24000',
  fee_split_bp: { miner: 8_000, developer: 1_000 },
  epoch_secs: 3_600,
  max_units_per_epoch: 50,
}

describe('the expected reward of units', () => {
  test.each([
    ['a unit has its price', {}, 2, 5, '160'],
    ['above the emission of the epoch all rewards are reduced', {}, 10, 20, '400'],
    ['above the units cap all rewards are reduced', { daily_emission: '2400000' }, 60, 100, '2400'],
    ['a pool is divided', { reward_model: 'epoch-pool' as const }, 1, 4, '200'],
    ['without others the reward is the whole pool', { reward_model: 'epoch-pool' as const }, 4, 4, '800'],
    ['no units earn no reward', {}, 0, 4, '0'],
  ])('%s', (_, change, units, epochUnits, amount) => {
    expect(expectedReward({ ...terms, ...change }, units, epochUnits)).toBe(amount)
  })

  test('equals what the protocol pays, however the units of others are divided', () => {
    const units = fc.integer({ min: 1, max: 12 })
    fc.assert(
      fc.property(
        units,
        fc.array(units, { maxLength: 4 }),
        fc.constantFrom('per-unit', 'epoch-pool'),
        (own, others, model) => {
          const rules = { ...terms, reward_model: model, max_units_per_epoch: 1_000 } as ExpectedTerms
          const all = [own, ...others].map((count, i) => ({ miner: `${i}`, units: count }))
          const sum = all.reduce((total, one) => total + one.units, 0)
          const [paid] = computeRewards(rules, rules.epoch_secs, all).shares
          expect(expectedReward(rules, own, sum)).toBe(paid?.amount)
        },
      ),
    )
  })
})
