import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { hashesOf } from '../../../../sdk/owner-actions.ts'

/** The values of a version in all that its developer signs: the manifest, then the action for the chain. */
export const askedOf = (manifest: ProjectManifest, projectId: string): Record<string, string> => ({
  developer: manifest.developer,
  slug: manifest.slug,
  projectId,
  version: String(manifest.version),
  worker: manifest.consensus.modules.worker,
  ...hashesOf(manifest),
})
