import { evmAddress } from '../../protocol/crypto.ts'
import { bytesToHex } from '../../protocol/hex.ts'
import { deriveProjectId, deriveVaultAddress } from '../../protocol/ids.ts'
import { deriveManifestHashes, type ProjectManifest, signManifest } from '../../protocol/manifest.ts'
import { resolveProfile } from '../../protocol/profile.ts'
import { namedArtifact } from './artifact.ts'
import { type Client, client } from './client.ts'
import { createWallet, signIn } from './wallet.ts'

const profile = resolveProfile()

export interface Developer {
  address: string
  key: string
  token: string
  client: Client
}

/** A developer, enrolled and verified by a hub that approves by itself. */
export async function createDeveloper(): Promise<Developer> {
  const key = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
  const { token } = await signIn(createWallet(key))
  const approving = client({ token, bindings: { AUTO_APPROVE_DEVELOPERS: 'true' } })
  await approving.post('/v1/developers/me/enrollment', {
    developer_type: 'individual',
    display_name: 'Ada',
    agreements_accepted: true,
  })
  return { key, address: evmAddress(key), token, client: client({ token }) }
}

let modules = 0
/** The address and the functions of a stateless module that was uploaded. */
export async function uploadModule({ client: caller }: { client: Client }) {
  modules += 1
  const { bytes, manifestAddress } = namedArtifact(`worker ${modules}`)
  const hbc_b64 = Buffer.from(bytes).toString('base64')
  const response = await caller.post('/v1/modules', { hbc_b64 })
  const { functions } = (await response.json()) as { functions: string[] }
  return { address: manifestAddress, functions }
}

export interface ManifestChange {
  slug?: string
  version?: number
  previous?: string | null
  consensus?: object
  work?: object
  economics?: object
  scheduling?: object
  requirements?: object
  listing?: object
}

let slugs = 0
/** A manifest that keeps every rule, but for the changes. */
export function manifestOf(
  { address }: { address: string },
  worker: { address: string; functions: string[] },
  change: ManifestChange = {},
): ProjectManifest {
  slugs += 1
  return {
    v: 1,
    network: profile.network,
    chain_id: profile.chain_id,
    developer: address,
    slug: change.slug ?? `project-${slugs}`,
    version: change.version ?? 1,
    previous: change.previous ?? null,
    consensus: {
      modules: { worker: worker.address, verifier: null },
      work: {
        class: 'deterministic',
        verification: 'redundant-execution',
        execution: 'committee',
        functions: worker.functions,
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
        epoch_secs: 3_600,
        dispute_window_secs: 86_400,
        ...change.work,
      },
      economics: {
        reward_token: `0x${'c0'.repeat(20)}`,
        vault: `0x${'0a'.repeat(20)}`,
        reward_model: 'per-unit',
        reward_per_unit: '1750000000000000',
        daily_emission: '512000000000000000000',
        fee_split_bp: { miner: 7_600, developer: 1_900, treasury: 500 },
        max_units_per_epoch: 900_000,
        max_recipients_per_epoch: 64,
        min_collateral: '7000000000000000000',
        slashing_bp: { invalid_result: 2_500, missed_sla: 120 },
        ...change.economics,
      },
      ...change.consensus,
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
        ...change.requirements,
      },
      sla: { max_latency_ms: 20_000, min_uptime_bp: 8_500 },
      ...change.scheduling,
    },
    listing: {
      name: `Project ${slugs}`,
      tagline: 'Shapes from sequences',
      description: 'Folds short chains.',
      category: 'machine-learning',
      tags: ['biology'],
      icon: 'https://assets.example.com/fold.png',
      banner: null,
      video: null,
      website: null,
      docs: null,
      support: null,
      screenshots: [],
      features: [],
      accent_color: '#1F2E3D',
      ...change.listing,
    },
  }
}

export const signed = (key: string, manifest: ProjectManifest) => ({
  manifest,
  sig_type: 'eip191',
  signature: signManifest(key, manifest),
})

/** What a manifest has to say of the economics on a chain with contracts. */
export function economicsOn(
  contracts: { token: string; vault_factory: string; vault_implementation: string },
  { address }: { address: string },
  slug: string,
) {
  const projectId = deriveProjectId(profile, address, slug)
  return {
    reward_token: contracts.token,
    vault: deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId),
  }
}

export const hashesOf = (manifest: ProjectManifest) => deriveManifestHashes(profile, manifest)

/** Submits a first version, and gives back what was submitted. */
export async function submitProject(
  developer: Developer,
  change: ManifestChange & { worker?: { address: string; functions: string[] } } = {},
) {
  const worker = change.worker ?? (await uploadModule(developer))
  const manifest = manifestOf(developer, worker, change)
  const response = await developer.client.post('/v1/developers/projects', signed(developer.key, manifest))
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
  return { manifest, worker, ...hashesOf(manifest) }
}
