import { capUnits, computeRewards, type RewardTerms } from '../../protocol/earnings/index.ts'

export interface ExpectedTerms extends RewardTerms {
  epoch_secs: number
  max_units_per_epoch: number
}

/**
 * The reward of `units`, out of the `epochUnits` of everybody, if the epoch ended now, in base units. The cap on recipients is left out,
 * since it depends on the units of each of them.
 */
export function expectedReward(terms: ExpectedTerms, units: number, epochUnits: number): string {
  const parts = [
    { miner: 'asked', units },
    { miner: 'others', units: epochUnits - units },
  ].filter((part) => part.units > 0)
  const capped = capUnits(parts, 0, terms.max_units_per_epoch)
  const { shares } = computeRewards(terms, terms.epoch_secs, capped)
  return shares.find(({ miner }) => miner === 'asked')?.amount ?? '0'
}
