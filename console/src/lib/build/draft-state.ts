/** Facts about a draft and the project that it is signed for. */
import type { Project } from '../hub.ts'

/** Whether a version was signed already; the first one may be signed again until the chain has it. */
export const isTaken = (
  project: Pick<Project, 'version' | 'pending_version' | 'listing_status'> | null,
  version: number,
): boolean =>
  project !== null &&
  project.listing_status !== 'submitted' &&
  (version <= project.version ||
    (version === project.pending_version?.version && project.pending_version.status !== 'submitted'))

const workOf = (manifest: object | null): { functions?: unknown; max_gas_limit?: unknown } =>
  (manifest as { consensus?: { work?: object } } | null)?.consensus?.work ?? {}

export function functionsOf(manifest: object | null): string[] {
  const { functions } = workOf(manifest)
  return Array.isArray(functions) ? functions.map(String) : []
}

export const gasOf = (manifest: object | null): number => Number(workOf(manifest).max_gas_limit ?? 0)
