import { type Hex, hashCanonicalJson } from '../encoding/index.ts'

/** The parameters of the testnet (section 5). Integers, except the two amounts in wei as decimal strings. */
export const defaultNetworkParams = {
  /** Time a drawn member has to accept a task. */
  accept_secs: 10,
  /** Published for participants; no rule reads it. */
  activation_delay_secs: 3600,
  /** Length of one leader attempt (section 23). */
  attempt_secs: 120,
  /** Audit rate in basis points (section 20). */
  audit_bp: 1000,
  /** The beacon target lies this long before the epoch start (section 12). */
  beacon_offset_secs: 960,
  committee_max_backups: 16,
  committee_max_size: 31,
  committee_min_size: 3,
  dispute_window_secs_max: 604800,
  dispute_window_secs_min: 3600,
  /** Gas of one compute unit (section 21). */
  gas_per_unit: 1000000,
  /** Clock tolerance of signed requests (section 10). */
  max_skew: 300,
  /** Lowest `min_collateral` of a manifest, in wei. */
  min_collateral_floor: '1000000000000000000',
  relay_max_control_bytes: 65536,
  relay_max_frame_bytes: 2097152,
  reputation_initial: 5000,
  reputation_max: 10000,
  reputation_min: 1000,
  /** Seconds from the end of an epoch to its first receipt attempt. */
  settle: 120,
  slash_equivocation_bp: 10000,
  slash_invalid_result_bp_max: 5000,
  slash_missed_sla_bp_max: 500,
  /** A snapshot is built this long before its epoch. */
  snapshot_lead_secs: 300,
  treasury_bp_min: 0,
  /** At least the longest epoch, `beacon_offset_secs` and a day: else a fault cannot be proven in time. */
  unbonding_secs: 259200,
  /** Lowest value `unbonding_secs` may be set to. */
  unbonding_secs_min: 86400,
  /** Time between settlement and release of an epoch. */
  vault_challenge_secs: 3600,
  /** Collateral per weight step, in wei (section 14). */
  weight_unit_wei: '1000000000000000',
}

/** The parameters of a network. */
export type NetworkParams = Readonly<typeof defaultNetworkParams>

/**
 * The parameters that may change while a network runs: all that one of these decides belongs to one epoch. The others are held by contracts,
 * outlive an epoch, bound manifests that were accepted long ago, or judge a message of the moment, which two clocks never date alike.
 */
export const epochParamNames = [
  'accept_secs',
  'activation_delay_secs',
  'attempt_secs',
  'audit_bp',
  'gas_per_unit',
  'settle',
  'slash_equivocation_bp',
  'weight_unit_wei',
] as const satisfies readonly (keyof NetworkParams)[]
export type EpochParamName = (typeof epochParamNames)[number]

/** The parameters that are the same in all epochs of a network. */
export type FixedParams = Omit<NetworkParams, EpochParamName>

/** Parameters that change at a time, in Unix seconds. Epochs that began before keep the values that they began with. */
export interface ParamsChange {
  readonly from: number
  readonly params: Partial<Pick<NetworkParams, EpochParamName>>
}

/**
 * Hashes the parameters: `params_hash = HC(params)`. The hash covers what was given: an integer written as text is another
 * hash.
 */
export const hashNetworkParams = (params: object): Hex => hashCanonicalJson(params)
