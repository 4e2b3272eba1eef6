import { env } from 'cloudflare:workers'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import { deriveProjectId, resolveProfile } from '../../protocol/identity/index.ts'
import { deriveManifestHashes } from '../../protocol/manifest/index.ts'
import { services } from '../services.ts'
import { createAddress, createMiner } from './callers.ts'
import { type ManifestChange, manifestOf } from './project.ts'

/** The collateral that the projects of these tests require. */
export const minCollateral = 7n * 10n ** 18n

/** A project that is listed, without the way there. */
export const createListedProject = async (
  change?: ManifestChange,
  developer?: { address: string },
): Promise<string> => (await submitListed(change, developer, 'submitted')).projectId

/** A listed project whose first version is in force, without the registry. */
export const createRunningProject = (change?: ManifestChange, developer?: { address: string }) =>
  submitListed(change, developer, 'active')

async function submitListed(
  change: ManifestChange = {},
  developer: { address: string } = createAddress(),
  version: 'submitted' | 'active',
) {
  const manifest = manifestOf(developer, { address: `0x${'0b'.repeat(32)}`, functions: ['echo'] }, change)
  const projectId = deriveProjectId(resolveProfile(), developer.address, manifest.slug)
  const hashes = deriveManifestHashes(resolveProfile(), manifest)
  await services(env).projects.submit(
    {
      projectId,
      manifest,
      canonical: encodeCanonicalJson(manifest),
      hashes,
      signature: `0x${'00'.repeat(65)}`,
      token: { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub', decimals: 18 },
      developerName: 'Ada',
    },
    1,
  )
  await env.DB.batch([
    env.DB.prepare("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?").bind(projectId),
    env.DB.prepare('UPDATE project_versions SET status = ? WHERE project_id = ?').bind(version, projectId),
  ])
  return { projectId, consensus: manifest.consensus, consensusHash: hashes.consensus_hash as string }
}

/** A device that suits the projects of these tests. */
export const suitableProfile = {
  class: 'desktop',
  platform: 'linux',
  arch: 'x64',
  engine: 'native',
  miner_version: '1.0.0',
  nodectl_version: '1.0.0',
  hardware: { cpu_cores: 8, ram_mb: 32_768, storage_free_mb: 10_000 },
  benchmark: {
    suite: 'bench-v1',
    ran_at: 1_793_000_000,
    engine: 'native',
    cases: [],
    mgas_per_s: [],
    score: 160,
  },
}

/** A wallet with a bound device that says what it is. */
export async function createDescribedMiner(change: object = {}) {
  const miner = await createMiner()
  await miner.device.call('PUT', `/v1/devices/${miner.device.nodeId}/profile`, {
    ...suitableProfile,
    ...change,
  })
  return miner
}
