import * as z from 'zod'
import { listingStatuses, reviewStatuses, tiers, versionStates } from '../../../protocol/manifest/index.ts'
import { Address, Amount, Bytes32, PathProject, Timestamp, TokenView } from '../../http/formats.ts'
import { projectExample } from './example.ts'
import {
  AccentColor,
  Category,
  Consensus,
  DeviceClass,
  FeeSplit,
  Listing,
  RewardModel,
  Scheduling,
  SlashingRates,
  Slug,
} from './manifest-shape.ts'

export const ProjectParams = {
  project_id: PathProject.meta({ example: projectExample.project_id }),
}

export const VersionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be an integer from 1')
  .transform(Number)
  .meta({ example: 2, schema: { type: 'integer', minimum: 1 } })

const ListingStatusShape = z.enum(listingStatuses).meta({ id: 'ListingStatus' })

const summaryFields = {
  project_id: Bytes32,
  slug: Slug,
  developer: Address,
  developer_name: z.string().nullable(),
  developer_verified: z.boolean(),
  name: z.string(),
  tagline: z.string().nullable(),
  category: Category,
  tags: z.array(z.string()),
  icon: z.string().meta({ format: 'uri' }),
  accent_color: AccentColor,
  listing_status: ListingStatusShape,
  device_classes: z.array(DeviceClass),
  token: TokenView,
  reward_model: RewardModel,
  min_collateral: Amount,
  miners: z.int(),
  avg_daily_reward_per_miner: Amount,
  average_rating_x100: z.int().nullable(),
  review_count: z.int(),
  trending: z.boolean(),
  featured: z.boolean(),
  listed_at: Timestamp.optional().describe(
    'Time of the first listing. Absent before; 0 in the answer to its registration.',
  ),
  version: z.int().min(1).describe('The version in force.'),
  created_at: Timestamp,
}

export const ProjectSummary = z.strictObject(summaryFields).meta({ id: 'ProjectSummary' })

export const VersionView = z
  .strictObject({
    version: z.int().min(1),
    manifest_hash: Bytes32,
    consensus_hash: Bytes32,
    tiers_changed: z.array(z.enum(tiers)).describe('Compared with the version then in force.'),
    status: z.enum(versionStates),
    publish_tx: Bytes32.optional(),
    published_at: Timestamp.optional(),
    effective_epoch: z.int().nullable().describe('First epoch, counted in the `epoch_secs` of this version.'),
    submitted_at: Timestamp,
  })
  .meta({ id: 'ProjectVersion' })

export const statsPeriods = ['24h', '7d', '30d', 'all'] as const

export const StatsView = z
  .strictObject({
    period: z.enum(statsPeriods),
    miners_subscribed: z.int().describe('Bonded subscriptions.'),
    miners_active: z.int().describe('Credited miners of the last epoch that was settled in the period.'),
    devices_by_class: z.record(z.string(), z.int()),
    rounds: z.int(),
    rounds_finalized: z.int(),
    rounds_fallback: z.int(),
    units: z.int(),
    paid_to_miners: Amount,
    avg_daily_reward_per_miner: Amount,
    median_finality_ms: z
      .int()
      .optional()
      .describe('Of the last epoch that was settled in the period; absent without such an epoch.'),
    uptime_bp: z
      .int()
      .optional()
      .describe('Of the last epoch that was settled in the period; absent without such an epoch.'),
    slashes: z.int(),
    growth_bp: z
      .int()
      .describe(
        'Change in active miners since the last epoch before the period, in hundredths of a percent.',
      ),
  })
  .meta({ id: 'ProjectStats' })

export const EconomicsView = z
  .strictObject({
    token: TokenView,
    reward_model: RewardModel,
    reward_per_unit: Amount,
    daily_emission: Amount,
    epoch_cap: Amount.describe('Maximum payment of an epoch, fees included.'),
    epoch_secs: z.int(),
    fee_split_bp: FeeSplit,
    min_collateral: Amount,
    slashing_bp: SlashingRates,
    dispute_window_secs: z.int(),
    vault: z.strictObject({
      address: Address,
      deployed: z.boolean(),
      config_matches_manifest: z
        .boolean()
        .describe(
          'Whether token, epoch length and cap of the vault equal those of the manifest, and the vault belongs to the developer.',
        ),
      balance: Amount,
      reserved: Amount.describe('Amount that is posted for epochs and not yet paid.'),
      total_paid: Amount.describe('Amount paid to miners, developer and treasury.'),
      pending_withdrawal: Amount,
      runway_epochs: z
        .int()
        .describe(
          'Number of epochs at full cap that the free balance covers. The amounts in `reserved` and `pending_withdrawal` are not free.',
        ),
      runway_days: z.int(),
    }),
    created_at: Timestamp,
  })
  .meta({ id: 'ProjectEconomics' })

export const ReviewDecision = z
  .strictObject({
    status: z.enum(reviewStatuses),
    reason: z.string().nullable(),
    conditions: z.array(z.string()),
    decided_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReviewDecision' })

export const ProjectView = z
  .strictObject({
    ...summaryFields,
    manifest_hash: Bytes32,
    consensus_hash: Bytes32,
    pending_version: VersionView.nullable().describe(
      'The newest version that waits for its publication on chain or for its epoch.',
    ),
    consensus: Consensus,
    scheduling: Scheduling,
    listing: Listing,
    vault: Address,
    registry_tx: Bytes32.optional(),
    review: ReviewDecision,
    stats: StatsView,
    economics: EconomicsView,
  })
  .meta({ id: 'Project' })
