import { hashNetworkParams, type NetworkParams, type Profile } from '../identity/index.ts'
import { hashProjectRules, type ProjectRules } from '../manifest/index.ts'
import type { Beacon } from './beacon.ts'
import type { ExcludedEntry, ExclusionReason, Snapshot, SnapshotEntry } from './snapshot.ts'

/** A subscription that is `active` or `paused` when the snapshot is built. */
export interface SnapshotCandidate {
  readonly node_key: string
  readonly subscription_id: string
  /** As the chain says at the beacon block. */
  readonly owner: string
  readonly payout_address: string
  readonly collateral: string
  readonly reputation: number
  readonly paused: boolean
  readonly faulty: boolean
  /** The active binding of the node, null without one. */
  readonly binding: {
    readonly binding_hash: string
    readonly owner: string
    readonly public_key: string
  } | null
}

/** The inputs that a snapshot is built from. */
export interface SnapshotSource {
  readonly project_id: string
  readonly epoch: number
  readonly consensus: ProjectRules
  readonly beacon: Beacon
  readonly params: NetworkParams
  readonly candidates: readonly SnapshotCandidate[]
}

/** The place of a key in a snapshot: an element of one of the two lists. */
export type SnapshotPlace = { readonly entry: SnapshotEntry } | { readonly excluded: ExcludedEntry }

/**
 * Builds the snapshot of one (project, epoch) (section 13). Candidates with less than `min_collateral` occur in neither
 * list. If several reasons to exclude a candidate apply, the first of `paused`, `binding_mismatch`, `unbound`, `faulty` is
 * stated, so that every builder states the same.
 */
export function buildSnapshot(profile: Profile, source: SnapshotSource): Snapshot {
  const { economics, work } = source.consensus
  const minCollateral = BigInt(economics.min_collateral)
  const entries: SnapshotEntry[] = []
  const excluded: ExcludedEntry[] = []
  const byKey = Map.groupBy(
    source.candidates.filter((one) => BigInt(one.collateral) >= minCollateral),
    ({ node_key }) => node_key,
  )
  for (const key of [...byKey.keys()].sort()) {
    const place = placeCandidates(byKey.get(key)!)
    if ('entry' in place) entries.push(place.entry)
    else excluded.push(place.excluded)
  }
  return {
    v: 1,
    network: profile.network,
    project_id: source.project_id,
    epoch: source.epoch,
    epoch_secs: work.epoch_secs,
    consensus_hash: hashProjectRules(source.consensus),
    params_hash: hashNetworkParams(source.params),
    beacon: source.beacon,
    min_collateral: economics.min_collateral,
    weight_cap: String(minCollateral * BigInt(work.committee.weight_cap_multiple)),
    entries,
    excluded,
  }
}

/**
 * Places the candidates of one key. A key has several after its device moved to another owner: the eligible one counts, else
 * the one with the lowest subscription id, so that no key occurs twice.
 * @param candidates At least one, each with `min_collateral`.
 */
export function placeCandidates(candidates: readonly SnapshotCandidate[]): SnapshotPlace {
  const eligible = candidates.find((one) => findExclusionReason(one) === null)
  if (eligible !== undefined) return { entry: entryOf(eligible) }
  const first = candidates.reduce((a, b) => (a.subscription_id < b.subscription_id ? a : b))
  const { node_key, subscription_id } = first
  return { excluded: { node_key, subscription_id, reason: findExclusionReason(first)! } }
}

/** Why a candidate is left out, null when it is eligible. */
function findExclusionReason(candidate: SnapshotCandidate): ExclusionReason | null {
  const { binding } = candidate
  if (candidate.paused) return 'paused'
  if (binding !== null && (binding.owner !== candidate.owner || binding.public_key !== candidate.node_key))
    return 'binding_mismatch'
  if (binding === null) return 'unbound'
  return candidate.faulty ? 'faulty' : null
}

function entryOf(candidate: SnapshotCandidate): SnapshotEntry {
  return {
    node_key: candidate.node_key,
    subscription_id: candidate.subscription_id,
    owner: candidate.owner,
    payout_address: candidate.payout_address,
    collateral: candidate.collateral,
    reputation: candidate.reputation,
    binding_hash: candidate.binding!.binding_hash,
  }
}
