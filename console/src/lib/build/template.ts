/** The manifest that a draft begins with. */
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import type { Descriptor } from '../hub.ts'

type Names = Pick<Descriptor, 'profile' | 'chain'>

const member = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** A manifest with the members that follow from the network, the wallet and the slug. The developer's choices stay. */
export function withNames(
  manifest: object,
  { profile, chain }: Names,
  developer: string,
  vault: string | null,
) {
  const given = member(manifest)
  const consensus = member(given.consensus)
  const economics = member(consensus.economics)
  return {
    ...given,
    network: profile.network,
    chain_id: profile.chain_id,
    developer,
    consensus: {
      ...consensus,
      economics: {
        ...economics,
        reward_token: economics.reward_token || (chain.token ?? ''),
        ...(vault !== null && { vault }),
      },
    },
  }
}

export const templateFor = (names: Names, developer: string) => withNames(template, names, developer, null)

/** Functions, module and names are left for the developer; the checks say so. */
const template: ProjectManifest = {
  v: 1,
  network: '',
  chain_id: 0,
  developer: '',
  slug: 'my-project',
  version: 1,
  previous: null,
  consensus: {
    modules: { worker: '', verifier: null },
    work: {
      class: 'deterministic',
      verification: 'redundant-execution',
      execution: 'committee',
      functions: ['greet'],
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
      epoch_secs: 3600,
      dispute_window_secs: 3600,
    },
    economics: {
      reward_token: '',
      vault: '',
      reward_model: 'per-unit',
      reward_per_unit: '10000000000000000',
      daily_emission: '1000000000000000000000',
      fee_split_bp: { miner: 8000, developer: 1500, treasury: 500 },
      max_units_per_epoch: 1_000_000,
      max_recipients_per_epoch: 100,
      min_collateral: '100000000000000000000',
      slashing_bp: { invalid_result: 2500, missed_sla: 100 },
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
    sla: { max_latency_ms: 30_000, min_uptime_bp: 9000 },
  },
  listing: {
    name: 'My project',
    tagline: 'The purpose of the project, in a line',
    description: 'The purpose of the project, and its users.',
    category: 'compute',
    tags: [],
    icon: '',
    banner: null,
    video: null,
    website: null,
    docs: null,
    support: null,
    screenshots: [],
    features: [],
    accent_color: null,
  },
}
