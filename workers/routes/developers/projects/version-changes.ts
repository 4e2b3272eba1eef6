import { changedTiers, type ProjectManifest, type Tier } from '../../../../protocol/manifest/index.ts'
import type { HubContext } from '../../../context.ts'
import type { ProjectVersion } from '../../../stores/projects.ts'
import { manifestOf } from '../../projects/view.ts'

/**
 * The tiers that a next version changes of the version in force. It changes the consensus too if it has another one than a published
 * version that waits for its epoch: it would take that one's place, and the chain has to know. Versions that are not published do not
 * count, because their rules would come into force without the chain.
 */
export async function changesOf(
  c: HubContext,
  current: ProjectVersion,
  next: ProjectManifest,
  consensusHash: string,
): Promise<Tier[]> {
  const changed = changedTiers(manifestOf(current), next)
  if (changed.includes('consensus')) return changed
  const waiting = await c.var.services.projectVersions.waiting(current.projectId)
  return waiting.some((version) => version.consensusHash !== consensusHash)
    ? ['consensus', ...changed]
    : changed
}
