import {
  changedTiers,
  type ManifestHashes,
  type ProjectManifest,
  type Tier,
} from '../../../../protocol/manifest/index.ts'
import type { HubContext } from '../../../context.ts'

/**
 * The tiers that a next version changes of the version in force. It changes the consensus too if it has another one than a published
 * version that waits for its epoch: it would take that one's place, and the chain has to know. Versions that are not published do not
 * count, because their rules would come into force without the chain.
 */
export async function changesOf(
  c: HubContext,
  inForce: ProjectManifest,
  next: ProjectManifest,
  { project_id, consensus_hash }: ManifestHashes,
): Promise<Tier[]> {
  const changed = changedTiers(inForce, next)
  if (changed.includes('consensus')) return changed
  const waiting = await c.var.services.projectVersions.waiting(project_id)
  return waiting.some((version) => version.consensusHash !== consensus_hash)
    ? ['consensus', ...changed]
    : changed
}
