import {
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  type Snapshot,
  type SnapshotCandidate,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { deriveSubscriptionId, type NetworkParams, type Profile } from '../../protocol/identity/index.ts'
import {
  type ManifestEnvelope,
  type ProjectManifest,
  type ProjectRules,
  signManifest,
} from '../../protocol/manifest/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'

export const addressOf = (name: string): string => hashText(name).slice(0, 42)

type Work = ProjectRules['work']

/** Rules for committees of three. */
export const rulesOf = (
  worker: string,
  work: Pick<Work, 'functions' | 'round_secs' | 'lease_secs' | 'epoch_secs'> & Partial<Work>,
  backups = 0,
): ProjectRules => ({
  modules: { worker, verifier: null },
  work: {
    class: 'deterministic',
    verification: 'redundant-execution',
    execution: 'committee',
    task_source: { kind: 'api' },
    max_gas_limit: 250_000_000,
    committee: {
      size: 3,
      min_size: 3,
      backups,
      selection: 'collateral-reputation-sortition-v1',
      weight_cap_multiple: 6,
    },
    dispute_window_secs: 86_400,
    ...work,
  },
  economics: {
    reward_token: addressOf('token'),
    vault: addressOf('vault'),
    reward_model: 'per-unit',
    reward_per_unit: '1750000000000000',
    daily_emission: '512000000000000000000',
    fee_split_bp: { miner: 7_600, developer: 1_900, treasury: 500 },
    max_units_per_epoch: 900_000,
    max_recipients_per_epoch: 64,
    min_collateral: '7000000000000000000',
    slashing_bp: { invalid_result: 2_500, missed_sla: 120 },
  },
})

/** The first version of a project's manifest. @param signer - Seed of the key that signs it in the place of its developer's. */
export function signedManifest(
  profile: Profile,
  {
    slug,
    consensus,
    developer,
    signer = developer,
  }: Record<'slug' | 'developer', string> & {
    consensus: ProjectRules
    signer?: string
  },
): ManifestEnvelope {
  const manifest = {
    v: 1,
    network: profile.network,
    chain_id: profile.chain_id,
    developer: evmAddress(developer),
    slug,
    version: 1,
    previous: null,
    consensus,
    scheduling: {},
    listing: {},
  } as unknown as ProjectManifest
  return { manifest, sig_type: 'eip191', signature: signManifest(signer, manifest) }
}

export interface SetOf {
  readonly projectId: string
  readonly epoch: number
  readonly consensus: ProjectRules
  readonly params: NetworkParams
  readonly members: readonly { readonly key: string; readonly owner: string; readonly payout: string }[]
}

/** The committee set of an epoch. Each member has as much collateral more as the first one has. */
export function snapshotOf(
  profile: Profile,
  { projectId, epoch, consensus, params, members }: SetOf,
): Snapshot {
  const blockHash = hashText(`block before ${beaconTargetTime(epoch, consensus.work.epoch_secs, params)}`)
  return buildSnapshot(profile, {
    project_id: projectId,
    epoch,
    consensus,
    beacon: { block_number: 7, block_hash: blockHash, value: beaconValue(profile, blockHash) },
    params,
    candidates: members.map(
      ({ key, owner, payout }, i): SnapshotCandidate => ({
        node_key: key,
        subscription_id: deriveSubscriptionId(projectId, owner, key),
        owner,
        payout_address: payout,
        collateral: String(BigInt(consensus.economics.min_collateral) * BigInt(i + 1)),
        reputation: 5_000,
        paused: false,
        faulty: false,
        binding: { binding_hash: hashText(`binding ${key}`), owner, public_key: key },
      }),
    ),
  })
}
