import {
  type Hex,
  hasExactKeys,
  hashCanonicalJson,
  isAmount,
  isObject,
  isUnsigned,
} from '../encoding/index.ts'

/** The parameters of a network (section 5). Integers, except the two amounts in wei as decimal strings. */
export interface NetworkParams {
  /** Time a drawn member has to accept a task. */
  readonly accept_secs: number
  /** Published for participants; no rule reads it. */
  readonly activation_delay_secs: number
  /** Length of one leader attempt (section 23). */
  readonly attempt_secs: number
  /** Audit rate in basis points (section 20). */
  readonly audit_bp: number
  /** The beacon target lies this long before the epoch start (section 12). */
  readonly beacon_offset_secs: number
  readonly committee_max_backups: number
  readonly committee_max_size: number
  readonly committee_min_size: number
  readonly dispute_window_secs_max: number
  readonly dispute_window_secs_min: number
  /** Gas of one compute unit (section 21). */
  readonly gas_per_unit: number
  /** Clock tolerance of signed requests (section 10). */
  readonly max_skew: number
  /** Lowest `min_collateral` of a manifest, in wei. */
  readonly min_collateral_floor: string
  readonly relay_max_control_bytes: number
  readonly relay_max_frame_bytes: number
  readonly reputation_initial: number
  readonly reputation_max: number
  readonly reputation_min: number
  /** Seconds from the end of an epoch to its first receipt attempt. */
  readonly settle: number
  readonly slash_equivocation_bp: number
  readonly slash_invalid_result_bp_max: number
  readonly slash_missed_sla_bp_max: number
  /** A snapshot is built this long before its epoch. */
  readonly snapshot_lead_secs: number
  readonly treasury_bp_min: number
  /** At least the longest epoch, `beacon_offset_secs` and a day: else a fault cannot be proven in time. */
  readonly unbonding_secs: number
  /** Lowest value `unbonding_secs` may be set to. */
  readonly unbonding_secs_min: number
  /** Time between settlement and release of an epoch. */
  readonly vault_challenge_secs: number
  /** Collateral per weight step, in wei (section 14). */
  readonly weight_unit_wei: string
}

/** The defaults of the testnet. */
export const defaultNetworkParams: NetworkParams = {
  accept_secs: 10,
  activation_delay_secs: 3600,
  attempt_secs: 120,
  audit_bp: 1000,
  beacon_offset_secs: 960,
  committee_max_backups: 16,
  committee_max_size: 31,
  committee_min_size: 3,
  dispute_window_secs_max: 604800,
  dispute_window_secs_min: 3600,
  gas_per_unit: 1000000,
  max_skew: 300,
  min_collateral_floor: '1000000000000000000',
  relay_max_control_bytes: 65536,
  relay_max_frame_bytes: 2097152,
  reputation_initial: 5000,
  reputation_max: 10000,
  reputation_min: 1000,
  settle: 120,
  slash_equivocation_bp: 10000,
  slash_invalid_result_bp_max: 5000,
  slash_missed_sla_bp_max: 500,
  snapshot_lead_secs: 300,
  treasury_bp_min: 0,
  unbonding_secs: 259200,
  unbonding_secs_min: 86400,
  vault_challenge_secs: 3600,
  weight_unit_wei: '1000000000000000',
}

const keys = Object.keys(defaultNetworkParams) as (keyof NetworkParams)[]

/** Whether the value has exactly the keys of the table, each of its type. A value outside is another network's. */
export function isNetworkParams(value: unknown): value is NetworkParams {
  return (
    isObject(value) &&
    hasExactKeys(value, keys) &&
    keys.every((key) =>
      typeof defaultNetworkParams[key] === 'string' ? isAmount(value[key]) : isUnsigned(value[key]),
    )
  )
}

/**
 * Hashes the parameters: `params_hash = HC(params)`. The hash covers what was given: an integer written as text is another
 * hash, so check the shape with {@link isNetworkParams} first where it matters.
 */
export function hashNetworkParams(params: object): Hex {
  return hashCanonicalJson(params)
}
