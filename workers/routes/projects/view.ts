import { epochCap } from '../../../protocol/earnings/index.ts'
import { averageRatingX100, type ProjectManifest } from '../../../protocol/manifest/index.ts'
import { type ChainState, vaultTerms } from '../../chain/projections.ts'
import type { HubContext } from '../../context.ts'
import type { ListedProject } from '../../stores/project-lists.ts'
import type { Project, ProjectRecord, ProjectVersion } from '../../stores/projects.ts'

import { type PeriodBounds, readBounds, statsView } from './stats.ts'

/** From this score on a project is called trending. */
const trendingScoreMin = 150

export const projectPath = (projectId: string): string => `/v1/projects/${projectId}`

export const summaryView = (project: ListedProject) => ({
  project_id: project.projectId,
  slug: project.slug,
  developer: project.developer,
  developer_name: project.developerName,
  developer_verified: project.developerVerified,
  name: project.name,
  tagline: project.tagline,
  category: project.category,
  tags: project.tags,
  icon: project.icon,
  accent_color: project.accentColor,
  listing_status: project.listingStatus,
  device_classes: project.deviceClasses,
  token: project.token,
  reward_model: project.rewardModel,
  min_collateral: project.minCollateral,
  miners: project.miners,
  avg_daily_reward_per_miner: project.avgDailyReward,
  average_rating_x100: averageRatingX100(project.ratingSum, project.ratingCount),
  review_count: project.ratingCount,
  trending: project.trendingScore >= trendingScoreMin,
  featured: project.featured,
  ...(project.listedAt !== null && { listed_at: project.listedAt }),
  version: project.version,
  created_at: project.createdAt,
})

export const versionView = (version: Omit<ProjectVersion, 'manifest'>) => ({
  version: version.version,
  manifest_hash: version.manifestHash,
  consensus_hash: version.consensusHash,
  tiers_changed: version.tiersChanged,
  status: version.status,
  ...(version.publishTx !== null && { publish_tx: version.publishTx }),
  ...(version.publishedAt !== null && { published_at: version.publishedAt }),
  effective_epoch: version.effectiveEpoch,
  submitted_at: version.submittedAt,
})

export function projectView(record: ProjectRecord, today: PeriodBounds) {
  const { project, current, pending, registry, vault } = record
  const manifest = manifestOf(current)
  const { consensus, scheduling, listing } = manifest
  return {
    ...summaryView(project),
    manifest_hash: project.manifestHash,
    consensus_hash: project.consensusHash,
    pending_version: pending && versionView(pending),
    consensus,
    scheduling,
    listing,
    vault: project.vault,
    ...(typeof registry?.registered_tx === 'string' && { registry_tx: registry.registered_tx }),
    review: {
      status: project.reviewStatus,
      reason: project.reviewReason,
      conditions: project.reviewConditions,
      decided_at: project.reviewedAt,
    },
    stats: statsView(project, '24h', today),
    economics: economicsView(project, manifest, vault, today.now),
  }
}

/** The whole record as of now, for answers that had to read the project first. */
export const readProjectView = async (c: HubContext, record: ProjectRecord) =>
  projectView(record, await readBounds(c, record.project.projectId, '24h'))

export const manifestOf = ({ manifest }: ProjectVersion): ProjectManifest =>
  JSON.parse(manifest) as ProjectManifest

/** A stored version as it was submitted, with what follows from it. */
export const signedManifestView = (version: ProjectVersion) => ({
  manifest: manifestOf(version),
  sig_type: 'eip191',
  signature: version.signature,
  manifest_hash: version.manifestHash,
  consensus_hash: version.consensusHash,
  project_id: version.projectId,
})

/** The rewards that a project pays, and the balance of its vault by the indexed events. */
export function economicsView(
  project: Project,
  manifest: ProjectManifest,
  vault: ChainState | null,
  now: number,
) {
  const { economics, work } = manifest.consensus
  const cap = epochCap(economics.daily_emission, work.epoch_secs)
  const paid = amountOf(vault?.total_paid)
  const balance = amountOf(vault?.funded) - paid - amountOf(vault?.withdrawn)
  const reserved = amountOf(vault?.reserved)
  const announced = pendingWithdrawal(vault, now)
  const free = balance > reserved + announced ? balance - reserved - announced : 0n
  return {
    token: project.token,
    reward_model: economics.reward_model,
    reward_per_unit: economics.reward_per_unit,
    daily_emission: economics.daily_emission,
    epoch_cap: String(cap),
    epoch_secs: work.epoch_secs,
    fee_split_bp: economics.fee_split_bp,
    min_collateral: economics.min_collateral,
    slashing_bp: economics.slashing_bp,
    dispute_window_secs: work.dispute_window_secs,
    vault: {
      address: economics.vault,
      deployed: vault !== null,
      config_matches_manifest:
        vault !== null &&
        vault.token === economics.reward_token &&
        vault.developer === manifest.developer &&
        hasTerms(vault, work.epoch_secs, cap, now),
      balance: String(balance),
      reserved: String(reserved),
      total_paid: String(paid),
      pending_withdrawal: String(announced),
      runway_epochs: cap === 0n ? 0 : safeNumber(free / cap),
      runway_days: safeNumber(free / BigInt(economics.daily_emission)),
    },
    created_at: project.createdAt,
  }
}

/** The most that a vault can be told to pay for an epoch. */
const vaultCapMax = 2n ** 128n - 1n

/** Whether the vault pays epochs of the manifest's length, and as much for each as the manifest allows. */
function hasTerms(vault: ChainState, epochSecs: number, cap: bigint, now: number): boolean {
  const terms = vaultTerms(vault, now)
  const expected = cap < vaultCapMax ? cap : vaultCapMax
  return terms !== null && terms.epoch_secs === epochSecs && BigInt(terms.epoch_cap) === expected
}

/** As the vault itself has it: an announced withdrawal that was not made in time is void. */
function pendingWithdrawal(vault: ChainState | null, now: number): bigint {
  const announced = vault?.withdrawal as { amount: string; expires_at: number } | null | undefined
  return announced && now < announced.expires_at ? amountOf(announced.amount) : 0n
}

const amountOf = (value: unknown): bigint => BigInt(String(value ?? '0'))

const safeNumber = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
