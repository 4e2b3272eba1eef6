import { basisPointsMax, type Range } from '../encoding/index.ts'
import type { NetworkParams } from '../identity/index.ts'
import { gasLimitMax } from '../wasm/run-limits.ts'

/** Largest canonical form of a manifest, in bytes. */
export const manifestBytesMax = 65_536

/** The parameters of a network that bound what a manifest may ask for. */
export type ProjectRulesBounds = Pick<
  NetworkParams,
  | 'committee_max_backups'
  | 'committee_max_size'
  | 'committee_min_size'
  | 'dispute_window_secs_max'
  | 'dispute_window_secs_min'
  | 'min_collateral_floor'
  | 'slash_invalid_result_bp_max'
  | 'slash_missed_sla_bp_max'
  | 'treasury_bp_min'
>

/** The ranges that the parameters of a network set. */
export const networkRanges = (params: ProjectRulesBounds) => ({
  committee_size: { min: params.committee_min_size, max: params.committee_max_size },
  backups: { min: 0, max: params.committee_max_backups },
  dispute_window_secs: { min: params.dispute_window_secs_min, max: params.dispute_window_secs_max },
  slashing_bp: {
    invalid_result: { min: 0, max: params.slash_invalid_result_bp_max },
    missed_sla: { min: 0, max: params.slash_missed_sla_bp_max },
  },
})

/** The ranges of `consensus.work` that are the same on every network; of `functions`, of their count. */
export const workRanges = {
  functions: { min: 1, max: 64 },
  max_gas_limit: { min: 1, max: gasLimitMax },
  round_secs: { min: 10, max: 600 },
  /** Also at most `round_secs`. */
  lease_secs: { min: 5, max: 600 },
  weight_cap_multiple: { min: 1, max: 100 },
} as const satisfies Record<string, Range>

/** The ranges of `consensus.economics` that are the same on every network. */
export const economicsRanges = {
  max_units_per_epoch: { min: 1, max: 1_000_000_000 },
  max_recipients_per_epoch: { min: 1, max: 10_000 },
} as const satisfies Record<string, Range>

/** The ranges of the shares of `fee_split_bp`, which add up to {@link basisPointsMax}. */
export const feeShareRanges = {
  developer: { min: 0, max: 5_000 },
  miner: { min: 5_000, max: basisPointsMax },
  treasury: { min: 0, max: 5_000 },
} as const satisfies Record<string, Range>

/** Highest `min_collateral`, in base units. */
export const minCollateralMax = 10n ** 24n

/** The ranges of `scheduling.sla`. */
export const slaRanges = {
  max_latency_ms: { min: 100, max: 600_000 },
  min_uptime_bp: { min: 0, max: basisPointsMax },
} as const satisfies Record<string, Range>

/** Lengths of the texts of a listing, in characters, and of each item of its lists. */
export const listingTexts = {
  name: { min: 1, max: 64 },
  tagline: { min: 0, max: 120 },
  description: { min: 0, max: 8_000 },
  tag: { min: 1, max: 32 },
  feature: { min: 0, max: 500 },
} as const satisfies Record<string, Range>

/** Most items of the lists of a listing. */
export const listingItemsMax = { tags: 8, screenshots: 8, features: 12 } as const

/** Longest address in a listing, in bytes of UTF-8. */
export const listingUrlBytesMax = 512

/** The shape of an accent colour. */
export const accentColorPattern = /^#[0-9A-F]{6}$/
