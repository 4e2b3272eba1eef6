import { buildPayoutTree, capUnits, computeRewards, sumUnits } from '../../earnings/index.ts'
import type { TopicRunner } from '../runner.ts'

export const runUnits: TopicRunner = (input) => {
  const units = sumUnits(input.records, input.gas_per_unit)
  return {
    units: Object.fromEntries(units.map((one) => [one.miner, one.units])),
    capped: capUnits(units, input.max_recipients_per_epoch, input.max_units_per_epoch),
  }
}

export const runAmounts: TopicRunner = (input) =>
  computeRewards(input.economics, input.epoch_secs, input.units)

export const runMerkle: TopicRunner = (input) =>
  buildPayoutTree(input.project_id, input.epoch, input.entries) ?? { root: null, leaves: [] }
