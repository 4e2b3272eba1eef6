import { isAmount, isUnsigned } from '../../../../protocol/encoding/index.ts'

interface Economics {
  reward_token: string
  reward_model: string
  reward_per_unit: string
  daily_emission: string
  min_collateral: string
  fee_split_bp: { miner: number; developer: number; treasury: number }
  slashing_bp: { invalid_result: number; missed_sla: number }
}

interface Work {
  epoch_secs?: unknown
  max_gas_limit?: unknown
  committee?: { size?: unknown }
}

/** The members of a manifest about its payouts and the work for them. */
export interface ManifestTerms extends Economics {
  epochSecs: number
  gas: number
  size: number
}

/** Null while a member that it needs is missing or invalid: a manifest is shown while it is typed. */
export function termsOf(manifest: object): ManifestTerms | null {
  const { economics, work } =
    (manifest as { consensus?: { economics?: Economics; work?: Work } }).consensus ?? {}
  if (!economics || !work) return null
  const { epoch_secs: epochSecs, max_gas_limit: gas, committee } = work
  const size = committee?.size
  if (!isUnsigned(epochSecs) || !isUnsigned(gas) || !isUnsigned(size)) return null
  if (![economics.reward_per_unit, economics.daily_emission, economics.min_collateral].every(isAmount))
    return null
  const { miner, developer, treasury }: Partial<Economics['fee_split_bp']> = economics.fee_split_bp ?? {}
  const { invalid_result, missed_sla }: Partial<Economics['slashing_bp']> = economics.slashing_bp ?? {}
  if (![miner, developer, treasury, invalid_result, missed_sla].every(isUnsigned)) return null
  return { ...economics, epochSecs, gas, size }
}
