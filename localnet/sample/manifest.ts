import type { Profile } from '../../protocol/identity/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'

export const sampleSlug = 'sample-echo'
export const sampleCollateralWei = 100n * 10n ** 18n

export interface SampleParts {
  readonly profile: Profile
  readonly developer: string
  readonly worker: string
  readonly functions: readonly string[]
  readonly token: string
  readonly vault: string
}

/** A project that three devices can work for, without waiting long for anything. */
export const sampleManifest = ({
  profile,
  developer,
  worker,
  functions,
  token,
  vault,
}: SampleParts): ProjectManifest => ({
  v: 1,
  network: profile.network,
  chain_id: profile.chain_id,
  developer,
  slug: sampleSlug,
  version: 1,
  previous: null,
  consensus: {
    modules: { worker, verifier: null },
    work: {
      class: 'deterministic',
      verification: 'redundant-execution',
      execution: 'committee',
      functions,
      task_source: { kind: 'api' },
      max_gas_limit: 100_000_000,
      committee: {
        size: 3,
        min_size: 3,
        backups: 0,
        selection: 'collateral-reputation-sortition-v1',
        weight_cap_multiple: 10,
      },
      round_secs: 60,
      lease_secs: 30,
      epoch_secs: 3_600,
      dispute_window_secs: defaultNetworkParams.dispute_window_secs_min,
    },
    economics: {
      reward_token: token,
      vault,
      reward_model: 'per-unit',
      reward_per_unit: '10000000000000000',
      daily_emission: '1000000000000000000000',
      fee_split_bp: { miner: 8_000, developer: 1_500, treasury: 500 },
      max_units_per_epoch: 1_000_000,
      max_recipients_per_epoch: 100,
      min_collateral: String(sampleCollateralWei),
      slashing_bp: { invalid_result: 2_500, missed_sla: 100 },
    },
  },
  scheduling: {
    public_tasks: true,
    requirements: {
      device_classes: ['desktop', 'laptop', 'server'],
      cpu_cores: 1,
      ram_mb: 512,
      storage_mb: 64,
      min_benchmark: 0,
      gpu: null,
      engines: ['native', 'pulley64'],
      attestation: [],
    },
    sla: { max_latency_ms: 30_000, min_uptime_bp: 9_000 },
  },
  listing: {
    name: 'Sample echo',
    tagline: 'Gives back what it is given',
    description: 'A project to try the network with: its function echo answers its input.',
    category: 'compute',
    tags: ['sample'],
    icon: 'https://example.com/echo.png',
    banner: null,
    video: null,
    website: null,
    docs: null,
    support: null,
    screenshots: [],
    features: [],
    accent_color: null,
  },
})
