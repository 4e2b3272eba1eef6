import { capUnits, computeRewards, type RewardTerms } from '../../protocol/earnings/index.ts'

/** What an epoch pays for, and when it ends. */
export interface ExpectedTerms extends RewardTerms {
  epoch_secs: number
  max_units_per_epoch: number
}

/**
 * What units of an epoch would bring if it ended now, in base units: its own share beside that of everybody else together.
 * The recipients cap is left out, since it depends on all of them.
 *
 * @param units - The part that is asked about.
 * @param epochUnits - Of everybody, these included.
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
