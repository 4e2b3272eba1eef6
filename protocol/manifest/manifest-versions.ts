import { encodeCanonicalJson } from '../encoding/index.ts'
import type { ProjectManifest } from './project-manifest.ts'

/** The three parts of a manifest that change separately, in the order in which changes are listed. */
export const tiers = ['consensus', 'scheduling', 'listing'] as const
export type Tier = (typeof tiers)[number]

/** States of a version. `pending` lies between `registered` and `active`, where a hub shows it. */
export const versionStates = [
  'submitted',
  'registered',
  'pending',
  'active',
  'superseded',
  'rejected',
] as const

/**
 * The tiers whose canonical text differs between two versions, in the order of {@link tiers}. A version that leaves
 * `consensus` alone is active at once; one that changes it goes through the chain.
 */
export function changedTiers(
  current: { readonly [Part in Tier]: object },
  next: { readonly [Part in Tier]: object },
): Tier[] {
  return tiers.filter((tier) => encodeCanonicalJson(current[tier]) !== encodeCanonicalJson(next[tier]))
}

/** The highest stored version of a project that is not `rejected`. */
export interface LatestVersion {
  readonly version: number
  readonly manifest_hash: string
}

/**
 * Whether a manifest continues a project: `version` one above the highest stored one that is not rejected, and `previous`
 * its hash. Anything else is a `conflict`: another version was faster.
 */
export function continuesVersion(
  latest: LatestVersion,
  manifest: Pick<ProjectManifest, 'version' | 'previous'>,
): boolean {
  return manifest.version === latest.version + 1 && manifest.previous === latest.manifest_hash
}

/** The values that determine when a changed consensus takes effect. Times in Unix seconds, lengths in seconds. */
export interface VersionPublication {
  readonly old_epoch_secs: number
  readonly new_epoch_secs: number
  /** Block time of the VersionPublished event. */
  readonly published_at: number
  readonly beacon_offset_secs: number
}

/**
 * The first epoch of a published version, counted in its own `epoch_secs`.
 *
 * It starts at the first time T that is an epoch boundary of the old and of the new length with
 * `T − beacon_offset_secs > published_at`: the next boundary whose snapshot cannot have been built yet.
 */
export function effectiveEpoch(publication: VersionPublication): number {
  const { old_epoch_secs: before, new_epoch_secs: after, published_at: at, beacon_offset_secs } = publication
  const common = commonBoundarySecs(before, after)
  const boundary = (Math.floor((at + beacon_offset_secs) / common) + 1) * common
  return boundary / after
}

/** Seconds between the times at which epochs of both lengths begin: their least common multiple. */
export function commonBoundarySecs(before: number, after: number): number {
  return (before * after) / greatestCommonDivisor(before, after)
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
