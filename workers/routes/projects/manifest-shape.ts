import * as z from 'zod'
import { basisPointsMax, type Range } from '../../../protocol/encoding/index.ts'
import { defaultNetworkParams, slugPattern } from '../../../protocol/identity/index.ts'
import {
  accentColorPattern,
  categories,
  committeeSelection,
  deviceClasses,
  economicsRanges,
  engines,
  epochLengths,
  feeShareRanges,
  listingItemsMax,
  listingTexts,
  listingUrlBytesMax,
  networkRanges,
  rewardModels,
  slaRanges,
  taskSourceKind,
  workKind,
  workRanges,
} from '../../../protocol/manifest/index.ts'
import { Address, Amount, Bytes32, lineOf, linesOf, Signature } from '../../http/formats.ts'

/**
 * The manifest as the OpenAPI document shows it. Its rules are checked by `findManifestProblems`, which reports all of
 * what is wrong; these shapes only describe.
 */

export const Slug = z
  .string()
  .regex(
    slugPattern,
    'must be 3 to 48 characters of a-z, 0-9 and hyphens, without a hyphen at the start or the end',
  )
  .meta({ id: 'Slug' })

const integer = ({ min, max }: Range) => z.int().min(min).max(max)
const url = z.string().max(listingUrlBytesMax).meta({ format: 'uri' })

/** The ranges that this network allows. */
const ranges = networkRanges(defaultNetworkParams)

export const DeviceClass = z.enum(deviceClasses).meta({ id: 'DeviceClass' })
export const Engine = z.enum(engines).meta({ id: 'Engine' })
export const Category = z.enum(categories).meta({ id: 'Category' })
export const RewardModel = z.enum(rewardModels).meta({ id: 'RewardModel' })

export const FeeSplit = z
  .strictObject({
    miner: integer(feeShareRanges.miner),
    developer: integer(feeShareRanges.developer),
    treasury: integer(feeShareRanges.treasury),
  })
  .meta({ id: 'FeeSplit', description: `Basis points, which add up to ${basisPointsMax}.` })

export const SlashingRates = z
  .strictObject({
    invalid_result: integer(ranges.slashing_bp.invalid_result),
    missed_sla: integer(ranges.slashing_bp.missed_sla),
  })
  .meta({ id: 'SlashingRates', description: 'Basis points of the collateral.' })

export const Consensus = z
  .strictObject({
    modules: z.strictObject({ worker: Bytes32, verifier: z.null() }),
    work: z.strictObject({
      class: z.literal(workKind.class),
      verification: z.literal(workKind.verification),
      execution: z.literal(workKind.execution),
      functions: z.array(z.string().min(1)).min(workRanges.functions.min).max(workRanges.functions.max),
      task_source: z.strictObject({ kind: z.literal(taskSourceKind) }),
      max_gas_limit: integer(workRanges.max_gas_limit),
      committee: z.strictObject({
        size: integer(ranges.committee_size),
        min_size: integer(ranges.committee_size),
        backups: integer(ranges.backups),
        selection: z.literal(committeeSelection),
        weight_cap_multiple: integer(workRanges.weight_cap_multiple),
      }),
      round_secs: integer(workRanges.round_secs),
      lease_secs: integer(workRanges.lease_secs),
      epoch_secs: z.literal([...epochLengths]),
      dispute_window_secs: integer(ranges.dispute_window_secs),
    }),
    economics: z.strictObject({
      reward_token: Address,
      vault: Address,
      reward_model: RewardModel,
      reward_per_unit: Amount,
      daily_emission: Amount,
      fee_split_bp: FeeSplit,
      max_units_per_epoch: integer(economicsRanges.max_units_per_epoch),
      max_recipients_per_epoch: integer(economicsRanges.max_recipients_per_epoch),
      min_collateral: Amount,
      slashing_bp: SlashingRates,
    }),
  })
  .meta({ id: 'Consensus', description: 'Parameters that nodes and contracts share.' })

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
      max_latency_ms: integer(slaRanges.max_latency_ms),
      min_uptime_bp: integer(slaRanges.min_uptime_bp),
    }),
  })
  .meta({
    id: 'Scheduling',
    description: 'The callers that may submit tasks, the requirements for devices, and the service level.',
  })

export const AccentColor = z.string().regex(accentColorPattern).nullable().meta({ id: 'AccentColor' })

export const Listing = z
  .strictObject({
    name: lineOf(listingTexts.name),
    tagline: lineOf(listingTexts.tagline),
    description: linesOf(listingTexts.description),
    category: Category,
    tags: z.array(lineOf(listingTexts.tag)).max(listingItemsMax.tags),
    icon: url,
    banner: url.nullable(),
    video: url.nullable(),
    website: url.nullable(),
    docs: url.nullable(),
    support: url.nullable(),
    screenshots: z.array(url).max(listingItemsMax.screenshots),
    features: z.array(lineOf(listingTexts.feature)).max(listingItemsMax.features),
    accent_color: AccentColor,
  })
  .meta({ id: 'Listing', description: 'Texts and images for readers.' })

export const ProjectManifest = z
  .strictObject({
    v: z.literal(1),
    network: z.string(),
    chain_id: z.int(),
    developer: Address,
    slug: Slug,
    version: z.int().min(1),
    previous: Bytes32.nullable().describe('`manifest_hash` of the version before; null in version 1.'),
    consensus: Consensus,
    scheduling: Scheduling,
    listing: Listing,
  })
  .meta({ id: 'ProjectManifest', description: 'Everything a developer signs.' })

/** A manifest in a request: any value, whose problems the handler reports all at once. */
const ManifestInput = z.unknown().refine((value) => value !== undefined, 'is required (object)')

export const ManifestBody = z
  .strictObject({
    manifest: ManifestInput.describe('A ProjectManifest, or a draft of one: the answer lists its problems.'),
  })
  .meta({ id: 'ManifestInput' })

export const SignedManifestBody = z
  .strictObject({
    manifest: ManifestInput.meta({ shownAs: ProjectManifest }),
    sig_type: z.literal('eip191'),
    signature: Signature,
    manifest_hash: Bytes32.nullable()
      .default(null)
      .describe('Optional; must be the hash that the hub derives from the manifest.'),
    consensus_hash: Bytes32.nullable()
      .default(null)
      .describe('Optional; must be the hash that the hub derives from the manifest.'),
    project_id: Bytes32.nullable()
      .default(null)
      .describe('Optional; must be the id that the hub derives from the manifest.'),
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
