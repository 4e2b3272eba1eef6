import { env } from 'cloudflare:workers'
import { unixNow } from '../../durable-objects/clock.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { deriveProjectId, deriveVaultAddress, resolveProfile } from '../../protocol/identity/index.ts'
import { deriveManifestHashes, type ProjectManifest, signManifest } from '../../protocol/manifest/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { manifestExample } from '../routes/projects/example.ts'
import { namedArtifact } from './artifact.ts'
import { signInWith } from './callers.ts'
import { bodyOf, type Client } from './client.ts'

const profile = resolveProfile()

export interface Developer {
  address: string
  key: string
  token: string
  client: Client
}

/** A developer, enrolled and verified as by a hub that approves by itself. */
export async function createDeveloper(): Promise<Developer> {
  const key = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
  const address = evmAddress(key)
  const enrolled = env.DB.prepare(
    `INSERT INTO developers (address, enrollment, verification, developer_type, display_name, social, agreements_accepted_at,
      created_at, updated_at, enrollment_submitted_at, enrollment_reviewed_at, verification_requested_at, verification_reviewed_at)
      VALUES (?1, 'active', 'verified', 'individual', 'Ada', '{}', ?2, ?2, ?2, ?2, ?2, ?2, ?2)`,
  ).bind(address, unixNow())
  return signInWith({ key, address }, [enrolled])
}

let modules = 0
/** The address and the functions of a stateless module that was uploaded. */
export async function uploadModule({ client: caller }: { client: Client }) {
  modules += 1
  const { bytes, manifestAddress } = namedArtifact(`worker ${modules}`)
  const hbc_b64 = Buffer.from(bytes).toString('base64')
  const { functions } = await bodyOf(caller.post('/v1/modules', { hbc_b64 }))
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
  const { consensus, scheduling, listing } = manifestExample
  const { work, economics } = consensus
  return {
    ...manifestExample,
    network: profile.network,
    chain_id: profile.chain_id,
    developer: address,
    slug: change.slug ?? `project-${slugs}`,
    version: change.version ?? 1,
    previous: change.previous ?? null,
    consensus: {
      modules: { worker: worker.address, verifier: null },
      work: { ...work, functions: worker.functions, epoch_secs: 3_600, ...change.work },
      economics: {
        ...economics,
        reward_token: `0x${'c0'.repeat(20)}`,
        vault: `0x${'0a'.repeat(20)}`,
        ...change.economics,
      },
      ...change.consensus,
    },
    scheduling: {
      ...scheduling,
      requirements: { ...scheduling.requirements, ...change.requirements },
      ...change.scheduling,
    },
    listing: { ...listing, name: `Project ${slugs}`, ...change.listing },
  }
}

export const signed = (key: string, manifest: ProjectManifest) => ({
  manifest,
  sig_type: 'eip191',
  signature: signManifest(key, manifest),
})

/** The economics that a manifest needs on a chain with contracts. */
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
