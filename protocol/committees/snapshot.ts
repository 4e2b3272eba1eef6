import {
  type Hex,
  hasExactKeys,
  hashCanonicalJson,
  isAddress,
  isAmount,
  isAscending,
  isBytes32,
  isExactly,
  isObject,
  isOneOf,
  isUnsigned,
  type Shape,
} from '../encoding/index.ts'
import { type NetworkParams, type Profile, profileStrings } from '../identity/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import { type Attestation, createAttestation, isAttested } from './attestation.ts'
import type { Beacon } from './beacon.ts'

/** A node that may be drawn in an epoch. */
export interface SnapshotEntry {
  readonly node_key: string
  readonly subscription_id: string
  readonly owner: string
  readonly payout_address: string
  /** Base units, at the beacon block. */
  readonly collateral: string
  readonly reputation: number
  readonly binding_hash: string
}

/** Why an active subscription with enough collateral is left out, in the order in which reasons are looked for. */
export const exclusionReasons = ['paused', 'binding_mismatch', 'unbound', 'faulty'] as const
export type ExclusionReason = (typeof exclusionReasons)[number]

/** A node that is left out, and why. */
export interface ExcludedEntry {
  readonly node_key: string
  readonly subscription_id: string
  readonly reason: ExclusionReason
}

/** The eligible set of one (project, epoch), from which every committee of the epoch is drawn. */
export interface Snapshot {
  readonly v: 1
  readonly network: string
  readonly project_id: string
  readonly epoch: number
  readonly epoch_secs: number
  readonly consensus_hash: string
  readonly params_hash: string
  readonly beacon: Beacon
  readonly min_collateral: string
  /** `min_collateral × weight_cap_multiple`. */
  readonly weight_cap: string
  /** Strictly ascending by `node_key`, at most 65,536. */
  readonly entries: readonly SnapshotEntry[]
  /** Strictly ascending by `node_key`; no key of `entries`. */
  readonly excluded: readonly ExcludedEntry[]
}

/** Most entries of a snapshot. */
export const snapshotEntriesMax = 65_536

/** Thrown for a snapshot that breaks a rule; over HTTP it is `invalid_evidence` with this reason. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code = 'invalid_snapshot'
  /** Dotted path of the member that breaks the rule. */
  readonly path: string

  constructor(path: string, expected: string) {
    super(`${path === '' ? 'The snapshot' : path} must be ${expected}.`)
    this.path = path
  }
}

/** The bounds of the network that a snapshot keeps. */
export type ReputationBounds = Pick<NetworkParams, 'reputation_min' | 'reputation_max'>

const beaconShape: Shape = { block_number: isUnsigned, block_hash: isBytes32, value: isBytes32 }
const entryShape: Shape = {
  node_key: isBytes32,
  subscription_id: isBytes32,
  owner: isAddress,
  payout_address: isAddress,
  collateral: isAmount,
  reputation: isUnsigned,
  binding_hash: isBytes32,
}
const excludedShape: Shape = {
  node_key: isBytes32,
  subscription_id: isBytes32,
  reason: isOneOf(exclusionReasons),
}
const snapshotShape: Shape = {
  v: isExactly(1),
  network: (value) => typeof value === 'string',
  project_id: isBytes32,
  epoch: isUnsigned,
  epoch_secs: (value) => isUnsigned(value) && value > 0,
  consensus_hash: isBytes32,
  params_hash: isBytes32,
  beacon: isObject,
  min_collateral: isAmount,
  weight_cap: isAmount,
  entries: Array.isArray,
  excluded: Array.isArray,
}

/**
 * Reads a snapshot: exactly the members of section 13, both lists strictly ascending by `node_key` without a common key, at
 * most 65,536 entries, reputations within the network's bounds. That it is true only a rebuild can tell.
 * @throws {@link SnapshotError}
 */
export function parseSnapshot(value: unknown, bounds: ReputationBounds): Snapshot {
  requireShape(value, '', snapshotShape)
  const snapshot = value as unknown as Snapshot
  requireShape(snapshot.beacon, 'beacon', beaconShape)
  if (snapshot.entries.length > snapshotEntriesMax)
    throw new SnapshotError('entries', `at most ${snapshotEntriesMax}`)
  snapshot.entries.forEach((entry, i) => {
    requireShape(entry, `entries[${i}]`, entryShape)
    if (entry.reputation < bounds.reputation_min || entry.reputation > bounds.reputation_max)
      throw new SnapshotError(`entries[${i}].reputation`, 'within the bounds of the network')
  })
  snapshot.excluded.forEach((entry, i) => {
    requireShape(entry, `excluded[${i}]`, excludedShape)
  })
  const keys = snapshot.entries.map((entry) => entry.node_key)
  const excludedKeys = snapshot.excluded.map((entry) => entry.node_key)
  if (!isAscending(keys)) throw new SnapshotError('entries', 'strictly ascending by node_key')
  if (!isAscending(excludedKeys)) throw new SnapshotError('excluded', 'strictly ascending by node_key')
  const eligible = new Set(keys)
  if (excludedKeys.some((key) => eligible.has(key)))
    throw new SnapshotError('excluded', 'without eligible keys')
  return snapshot
}

function requireShape(value: unknown, path: string, shape: Shape): void {
  if (!isObject(value) || !hasExactKeys(value, Object.keys(shape)))
    throw new SnapshotError(path, `an object with exactly ${Object.keys(shape).join(', ')}`)
  for (const [key, fits] of Object.entries(shape))
    if (!fits(value[key])) throw new SnapshotError(path === '' ? key : `${path}.${key}`, 'of its format')
}

/** Hashes a snapshot, with `excluded` and without attestations: `set_hash = HC(snapshot)`. */
export const hashSnapshot = (snapshot: Snapshot): Hex => hashCanonicalJson(snapshot)

/** The text of an attestation: `<prefix>-set-v1:` + `set_hash`. */
export function snapshotText(profile: Profile, setHash: string): string {
  return profileStrings(profile).set + setHash
}

/** Attests a set. A validator calls it only for a set that it rebuilt itself. Throws {@link FormatError}. */
export function attestSnapshot(profile: Profile, key: SigningKey, setHash: string): Attestation {
  return createAttestation(profile, key, snapshotText(profile, setHash))
}

/** Whether a quorum of the current validators attested a set; before that committee calls answer 425. */
export function isSnapshotAttested(
  profile: Profile,
  setHash: string,
  attestations: readonly unknown[],
  validators: readonly string[],
  verify?: Ed25519Verifier,
): boolean {
  return isAttested(profile, snapshotText(profile, setHash), attestations, validators, verify)
}
