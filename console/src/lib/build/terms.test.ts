import { expect, test } from 'vitest'
import { type ManifestTerms, termsOf } from './terms.ts'

const economics = {
  ...{ reward_token: '0x00', reward_model: 'per-unit', reward_per_unit: '1', daily_emission: '2' },
  ...{ min_collateral: '3', fee_split_bp: { miner: 8_000, developer: 1_500, treasury: 500 } },
  slashing_bp: { invalid_result: 100, missed_sla: 10 },
}
const work = { epoch_secs: 3_600, max_gas_limit: 1_000, committee: { size: 3 } }

test('the terms of a manifest contain its payments and the amount of work', () => {
  const terms = termsOf({ consensus: { economics, work } })
  expect(terms).toEqual({ ...economics, epochSecs: 3_600, gas: 1_000, size: 3 } satisfies ManifestTerms)
})

test.each([
  ['size', { economics, work: { ...work, committee: { size: 3.5 } } }],
  ['no committee', { economics, work: { ...work, committee: undefined } }],
  ['epoch_secs', { economics, work: { ...work, epoch_secs: 0.5 } }],
  ['max_gas_limit', { economics, work: { ...work, max_gas_limit: '1000' } }],
  ['an amount', { economics: { ...economics, daily_emission: '2.5' }, work }],
  ['a share', { economics: { ...economics, fee_split_bp: { miner: 0.5, developer: 0, treasury: 0 } }, work }],
  [
    'a share by another name',
    { economics: { ...economics, fee_split_bp: { mine: 8_000, developer: 1_500, treasury: 500 } }, work },
  ],
  ['a penalty', { economics: { ...economics, slashing_bp: { invalid_result: 100 } }, work }],
  ['no work', { economics }],
])('a manifest with a wrong or missing member has no terms: %s', (_, consensus) => {
  expect(termsOf({ consensus })).toBeNull()
})
