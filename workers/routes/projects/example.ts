import type { Listing, ProjectManifest } from '../../../protocol/manifest/index.ts'
import { example } from '../../examples.ts'

/** One project, as the examples of the OpenAPI document show it from every side. */

const { token } = example.contracts
const vault = '0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5'

const listing: Listing = {
  name: 'Protein Fold',
  tagline: 'Shapes from sequences',
  description: 'Folds short chains.',
  category: 'machine-learning',
  tags: ['biology'],
  icon: 'https://assets.example.com/fold.png',
  banner: null,
  video: null,
  website: 'https://fold.example.com',
  docs: null,
  support: null,
  screenshots: [],
  features: ['Energy in millijoule'],
  accent_color: '#1F2E3D',
}

export const manifestExample: Omit<ProjectManifest, 'network'> & { network: string } = {
  v: 1,
  network: '{{network}}',
  chain_id: 31337,
  developer: example.wallet,
  slug: 'protein-fold',
  version: 1,
  previous: null,
  consensus: {
    modules: { worker: example.manifestAddress, verifier: null },
    work: {
      class: 'deterministic',
      verification: 'redundant-execution',
      execution: 'committee',
      functions: ['fold'],
      task_source: { kind: 'api' },
      max_gas_limit: 250_000_000,
      committee: {
        size: 5,
        min_size: 3,
        backups: 2,
        selection: 'collateral-reputation-sortition-v1',
        weight_cap_multiple: 6,
      },
      round_secs: 90,
      lease_secs: 30,
      epoch_secs: 10_800,
      dispute_window_secs: 86_400,
    },
    economics: {
      reward_token: token,
      vault,
      reward_model: 'per-unit',
      reward_per_unit: '1750000000000000',
      daily_emission: '512000000000000000000',
      fee_split_bp: { miner: 7_600, developer: 1_900, treasury: 500 },
      max_units_per_epoch: 900_000,
      max_recipients_per_epoch: 64,
      min_collateral: '7000000000000000000',
      slashing_bp: { invalid_result: 2_500, missed_sla: 120 },
    },
  },
  scheduling: {
    public_tasks: false,
    requirements: {
      device_classes: ['desktop', 'server'],
      cpu_cores: 2,
      ram_mb: 2_048,
      storage_mb: 512,
      min_benchmark: 80,
      gpu: null,
      engines: ['native'],
      attestation: [],
    },
    sla: { max_latency_ms: 20_000, min_uptime_bp: 8_500 },
  },
  listing,
}

export const hashesExample = {
  manifest_hash: `0x${'1c'.repeat(32)}`,
  consensus_hash: `0x${'2d'.repeat(32)}`,
  project_id: '0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b',
}

export const signedManifestExample = {
  manifest: manifestExample,
  sig_type: 'eip191' as const,
  signature: `0x${'5a'.repeat(64)}1b`,
  ...hashesExample,
}

export const tokenExample = {
  address: token,
  symbol: '{{token_symbol}}',
  name: '{{token_name}}',
  decimals: 18,
}

export const summaryExample = {
  project_id: hashesExample.project_id,
  slug: manifestExample.slug,
  developer: example.wallet,
  developer_name: 'Ada Computing',
  developer_verified: true,
  name: listing.name,
  tagline: listing.tagline,
  category: listing.category,
  tags: listing.tags,
  icon: listing.icon,
  accent_color: listing.accent_color,
  listing_status: 'listed' as const,
  device_classes: manifestExample.scheduling.requirements.device_classes,
  token: tokenExample,
  reward_model: manifestExample.consensus.economics.reward_model,
  min_collateral: manifestExample.consensus.economics.min_collateral,
  miners: 12,
  avg_daily_reward_per_miner: '31000000000000000000',
  average_rating_x100: 450,
  review_count: 4,
  trending: false,
  featured: false,
  listed_at: example.time,
  version: 1,
  created_at: example.time,
}

export const economicsExample = {
  token: tokenExample,
  reward_model: 'per-unit' as const,
  reward_per_unit: '1750000000000000',
  daily_emission: '512000000000000000000',
  epoch_cap: '64000000000000000000',
  epoch_secs: 10_800,
  fee_split_bp: manifestExample.consensus.economics.fee_split_bp,
  min_collateral: manifestExample.consensus.economics.min_collateral,
  slashing_bp: manifestExample.consensus.economics.slashing_bp,
  dispute_window_secs: 86_400,
  vault: {
    address: vault,
    deployed: true,
    config_matches_manifest: true,
    balance: '5120000000000000000000',
    reserved: '64000000000000000000',
    total_paid: '0',
    pending_withdrawal: '0',
    runway_epochs: 79,
    runway_days: 9,
  },
  created_at: example.time,
}

export const statsExample = {
  period: '24h' as const,
  miners_subscribed: 12,
  miners_active: 11,
  devices_by_class: { desktop: 9, server: 3 },
  rounds: 960,
  rounds_finalized: 951,
  rounds_fallback: 9,
  units: 2_880,
  paid_to_miners: '341000000000000000000',
  avg_daily_reward_per_miner: '31000000000000000000',
  median_finality_ms: 4_200,
  uptime_bp: 9_900,
  slashes: 0,
  growth_bp: 1_000,
}

export const versionExample = {
  version: 2,
  manifest_hash: hashesExample.manifest_hash,
  consensus_hash: hashesExample.consensus_hash,
  tiers_changed: ['consensus' as const],
  status: 'submitted' as const,
  effective_epoch: null,
  submitted_at: example.time,
}

export const projectExample = {
  ...summaryExample,
  manifest_hash: hashesExample.manifest_hash,
  consensus_hash: hashesExample.consensus_hash,
  pending_version: null,
  consensus: manifestExample.consensus,
  scheduling: manifestExample.scheduling,
  listing,
  vault,
  registry_tx: example.digest,
  stats: statsExample,
  review: { status: 'approved' as const, reason: null, conditions: [], decided_at: example.time },
  economics: economicsExample,
}
