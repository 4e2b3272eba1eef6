import { env } from 'cloudflare:workers'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import { deriveProjectId, resolveProfile } from '../../protocol/identity/index.ts'
import { deriveManifestHashes } from '../../protocol/manifest/index.ts'
import { services } from '../services.ts'
import { createAddress, createMiner } from './callers.ts'
import { type ManifestChange, manifestOf } from './project.ts'
import { runSql } from './tables.ts'

/** The collateral that the projects of these tests require. */
export const minCollateral = 7n * 10n ** 18n

/** A project that is listed, without the way there. */
export async function createListedProject(
  change: ManifestChange = {},
  developer: { address: string } = createAddress(),
): Promise<string> {
  const manifest = manifestOf(developer, { address: `0x${'0b'.repeat(32)}`, functions: ['echo'] }, change)
  const projectId = deriveProjectId(resolveProfile(), developer.address, manifest.slug)
  await services(env).projects.submit(
    {
      projectId,
      manifest,
      canonical: encodeCanonicalJson(manifest),
      hashes: deriveManifestHashes(resolveProfile(), manifest),
      signature: `0x${'00'.repeat(65)}`,
      token: { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub', decimals: 18 },
      developerName: 'Ada',
    },
    1,
  )
  await runSql("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?", projectId)
  return projectId
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
