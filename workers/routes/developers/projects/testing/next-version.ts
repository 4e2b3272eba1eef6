import type { ProjectManifest } from '../../../../../protocol/manifest/index.ts'

/** The manifest of the version after one, with changes. */
export const nextVersion = (
  { manifest, manifest_hash }: { manifest: ProjectManifest; manifest_hash: string },
  change: { work?: object; listing?: object; version?: number; previous?: string } = {},
): ProjectManifest => ({
  ...manifest,
  version: change.version ?? manifest.version + 1,
  previous: change.previous ?? manifest_hash,
  consensus: { ...manifest.consensus, work: { ...manifest.consensus.work, ...change.work } },
  listing: { ...manifest.listing, ...change.listing },
})
