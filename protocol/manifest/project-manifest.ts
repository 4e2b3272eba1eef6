import { encodeCanonicalJson, type Hex, hashCanonicalJson, isOneOf, utf8 } from '../encoding/index.ts'
import type { Category } from './categories.ts'

/** Classes of devices that a project may ask for. */
export const deviceClasses = ['desktop', 'laptop', 'phone', 'server', 'tablet'] as const
/** Engines that a project may ask for. */
export const engines = ['native', 'pulley32', 'pulley64'] as const
/** Lengths an epoch may have, in seconds, ascending; each divides a day. */
export const epochLengths = [3600, 7200, 10_800, 14_400, 21_600, 28_800, 43_200, 86_400] as const
export const shortestEpochSecs: number = epochLengths[0]
export const longestEpochSecs: number = epochLengths[7]
/** Models by which an epoch is paid. */
export const rewardModels = ['per-unit', 'epoch-pool'] as const
/** The values that `consensus.work` must have for the kind of work: the network has one kind so far. */
export const workKind = {
  class: 'deterministic',
  verification: 'redundant-execution',
  execution: 'committee',
} as const
/** The source of tasks, `task_source.kind`. */
export const taskSourceKind = 'api'
/** How members of a committee are drawn. */
export const committeeSelection = 'collateral-reputation-sortition-v1'
export type DeviceClass = (typeof deviceClasses)[number]
export type Engine = (typeof engines)[number]
export type RewardModel = (typeof rewardModels)[number]

/** How committees are formed. */
export interface CommitteeRules {
  /** Primaries drawn for a task. */
  readonly size: number
  /** Fewer eligible members than this, and validators execute instead. */
  readonly min_size: number
  readonly backups: number
  readonly selection: typeof committeeSelection
  /** A member's collateral counts up to this multiple of `min_collateral`. */
  readonly weight_cap_multiple: number
}

/** `consensus.work` of a manifest. Times in seconds. */
export interface Work {
  readonly class: typeof workKind.class
  readonly verification: typeof workKind.verification
  readonly execution: typeof workKind.execution
  readonly functions: readonly string[]
  readonly task_source: { readonly kind: typeof taskSourceKind }
  readonly max_gas_limit: number
  readonly committee: CommitteeRules
  readonly round_secs: number
  readonly lease_secs: number
  readonly epoch_secs: number
  readonly dispute_window_secs: number
}

/** `consensus.economics` of a manifest. Amounts are decimal strings in base units of the reward token. */
export interface Economics {
  readonly reward_token: string
  readonly vault: string
  readonly reward_model: RewardModel
  readonly reward_per_unit: string
  readonly daily_emission: string
  /** Basis points, which add up to 10000. */
  readonly fee_split_bp: { readonly miner: number; readonly developer: number; readonly treasury: number }
  readonly max_units_per_epoch: number
  readonly max_recipients_per_epoch: number
  readonly min_collateral: string
  readonly slashing_bp: { readonly invalid_result: number; readonly missed_sla: number }
}

/** The tier that nodes and contracts agree on: a change takes effect at an epoch boundary, through the chain. */
export interface ProjectRules {
  readonly modules: { readonly worker: string; readonly verifier: null }
  readonly work: Work
  readonly economics: Economics
}

/** The tier that says which devices suit. */
export interface Scheduling {
  readonly public_tasks: boolean
  readonly requirements: {
    readonly device_classes: readonly DeviceClass[]
    readonly cpu_cores: number
    readonly ram_mb: number
    readonly storage_mb: number
    readonly min_benchmark: number
    readonly gpu: null
    readonly engines: readonly Engine[]
    readonly attestation: readonly []
  }
  readonly sla: { readonly max_latency_ms: number; readonly min_uptime_bp: number }
}

/** The tier that people read. Addresses are URLs; lengths count code points. */
export interface Listing {
  readonly name: string
  readonly tagline: string
  readonly description: string
  readonly category: Category
  readonly tags: readonly string[]
  readonly icon: string
  readonly banner: string | null
  readonly video: string | null
  readonly website: string | null
  readonly docs: string | null
  readonly support: string | null
  readonly screenshots: readonly string[]
  readonly features: readonly string[]
  readonly accent_color: string | null
}

/** Whether the value names a model by which an epoch is paid. */
export const isRewardModel = isOneOf(rewardModels)

/** A project manifest: everything a developer signs. {@link findManifestProblems} has its rules. */
export interface ProjectManifest {
  readonly v: 1
  readonly network: string
  readonly chain_id: number
  readonly developer: string
  readonly slug: string
  readonly version: number
  /** `manifest_hash` of the version before; null for version 1. */
  readonly previous: string | null
  readonly consensus: ProjectRules
  readonly scheduling: Scheduling
  readonly listing: Listing
}

/** The identity of a version: `manifest_hash = HC(manifest)`, of the manifest alone. Throws {@link CanonicalJsonError}. */
export const hashManifest = (manifest: object): Hex => hashCanonicalJson(manifest)

/** The hash in tasks, snapshots and receipts: `consensus_hash = HC(manifest.consensus)`. Throws {@link CanonicalJsonError}. */
export const hashProjectRules = (consensus: object): Hex => hashCanonicalJson(consensus)

/**
 * The bytes a developer signs by EIP-191: the canonical text of the manifest itself, neither its hash nor the envelope, so
 * that a wallet shows what is signed.
 * @throws {@link CanonicalJsonError}
 */
export const encodeManifest = (manifest: object): Uint8Array => utf8(encodeCanonicalJson(manifest))
