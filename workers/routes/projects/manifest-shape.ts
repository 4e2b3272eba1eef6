import * as z from 'zod'
import { categories, deviceClasses, engines, epochLengths } from '../../../protocol/manifest/index.ts'
import { Address, Amount, Bytes32, Signature } from '../../http/formats.ts'

/**
 * The manifest as the OpenAPI document shows it. Its rules are checked by `findManifestProblems`, which reports all of
 * what is wrong; these shapes only describe.
 */

export const Slug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$/,
    'must be 3 to 48 of a-z, 0-9 and hyphens, none of them first or last',
  )
  .meta({ id: 'Slug' })

const text = (most: number, least = 0) => z.string().min(least).max(most)
const basisPoints = (most: number, least = 0) => z.int().min(least).max(most)
const url = z.string().max(512).meta({ format: 'uri' })

export const DeviceClass = z.enum(deviceClasses).meta({ id: 'DeviceClass' })
export const Engine = z.enum(engines).meta({ id: 'Engine' })
export const Category = z.enum(categories).meta({ id: 'Category' })
export const RewardModel = z.enum(['per-unit', 'epoch-pool']).meta({ id: 'RewardModel' })

export const FeeSplit = z
  .strictObject({
    miner: basisPoints(10_000, 5_000),
    developer: basisPoints(5_000),
    treasury: basisPoints(5_000),
  })
  .meta({ id: 'FeeSplit', description: 'Basis points, 10000 in sum.' })

export const SlashingRates = z
  .strictObject({ invalid_result: basisPoints(5_000), missed_sla: basisPoints(500) })
  .meta({ id: 'SlashingRates', description: 'Basis points of the collateral.' })

export const Consensus = z
  .strictObject({
    modules: z.strictObject({ worker: Bytes32, verifier: z.null() }),
    work: z.strictObject({
      class: z.literal('deterministic'),
      verification: z.literal('redundant-execution'),
      execution: z.literal('committee'),
      functions: z.array(z.string().min(1)).min(1).max(64),
      task_source: z.strictObject({ kind: z.literal('api') }),
      max_gas_limit: z.int().min(1).max(10_000_000_000),
      committee: z.strictObject({
        size: z.int().min(3).max(31),
        min_size: z.int().min(3).max(31),
        backups: z.int().min(0).max(16),
        selection: z.literal('collateral-reputation-sortition-v1'),
        weight_cap_multiple: z.int().min(1).max(100),
      }),
      round_secs: z.int().min(10).max(600),
      lease_secs: z.int().min(5).max(600),
      epoch_secs: z.literal([...epochLengths]),
      dispute_window_secs: z.int().min(3_600).max(604_800),
    }),
    economics: z.strictObject({
      reward_token: Address,
      vault: Address,
      reward_model: RewardModel,
      reward_per_unit: Amount,
      daily_emission: Amount,
      fee_split_bp: FeeSplit,
      max_units_per_epoch: z.int().min(1).max(1_000_000_000),
      max_recipients_per_epoch: z.int().min(1).max(10_000),
      min_collateral: Amount,
      slashing_bp: SlashingRates,
    }),
  })
  .meta({ id: 'Consensus', description: 'What nodes and contracts agree on.' })

export const Scheduling = z
  .strictObject({
    public_tasks: z.boolean(),
    requirements: z.strictObject({
      device_classes: z.array(DeviceClass).min(1),
      cpu_cores: z.int().min(0),
      ram_mb: z.int().min(0),
      storage_mb: z.int().min(0),
      min_benchmark: z.int().min(0),
      gpu: z.null(),
      engines: z.array(Engine).min(1),
      attestation: z.array(z.string()).max(0),
    }),
    sla: z.strictObject({
      max_latency_ms: z.int().min(100).max(600_000),
      min_uptime_bp: basisPoints(10_000),
    }),
  })
  .meta({ id: 'Scheduling', description: 'Which devices suit.' })

export const AccentColor = z
  .string()
  .regex(/^#[0-9A-F]{6}$/)
  .nullable()
  .meta({ id: 'AccentColor' })

export const Listing = z
  .strictObject({
    name: text(64, 1),
    tagline: text(120),
    description: text(8_000),
    category: Category,
    tags: z.array(text(32, 1)).max(8),
    icon: url,
    banner: url.nullable(),
    video: url.nullable(),
    website: url.nullable(),
    docs: url.nullable(),
    support: url.nullable(),
    screenshots: z.array(url).max(8),
    features: z.array(text(500)).max(12),
    accent_color: AccentColor,
  })
  .meta({ id: 'Listing', description: 'What people read.' })

export const ProjectManifest = z
  .strictObject({
    v: z.literal(1),
    network: z.string(),
    chain_id: z.int(),
    developer: Address,
    slug: Slug,
    version: z.int().min(1),
    previous: Bytes32.nullable().meta({
      description: '`manifest_hash` of the version before; null in version 1.',
    }),
    consensus: Consensus,
    scheduling: Scheduling,
    listing: Listing,
  })
  .meta({ id: 'ProjectManifest', description: 'Everything a developer signs.' })

/** A manifest in a request: any value, whose problems the handler reports all at once. */
const ManifestInput = z.unknown().refine((value) => value !== undefined, 'is required (object)')

export const ManifestBody = z
  .strictObject({
    manifest: ManifestInput.meta({
      description: 'A ProjectManifest, or what is to become one: problems are answered, not refused.',
    }),
  })
  .meta({ id: 'ManifestInput' })

export const SignedManifestBody = z
  .strictObject({
    manifest: ManifestInput.meta({ shownAs: ProjectManifest }),
    sig_type: z.literal('eip191'),
    signature: Signature,
    manifest_hash: Bytes32.nullable()
      .default(null)
      .meta({ description: 'When stated, must be the one that follows.' }),
    consensus_hash: Bytes32.nullable().default(null),
    project_id: Bytes32.nullable().default(null),
  })
  .meta({ id: 'SignedManifestInput' })

export const SignedManifest = z
  .strictObject({
    manifest: ProjectManifest,
    sig_type: z.literal('eip191'),
    signature: Signature,
    manifest_hash: Bytes32,
    consensus_hash: Bytes32,
    project_id: Bytes32,
  })
  .meta({ id: 'SignedManifest' })
