import {
  bytesToHex,
  bytesToUnsigned,
  FormatError,
  type Hex,
  hashBytes,
  hashCanonicalJson,
  keccakBytes,
  raw32,
  u32,
  u64,
  utf8,
} from '../encoding/index.ts'
import { deriveNodeId, type Profile, profileStrings } from '../identity/index.ts'
import type { CommitteeRules } from '../manifest/index.ts'
import { quorum } from './quorum.ts'

/** The members of a snapshot entry that the draw reads. */
export interface Candidate {
  readonly node_key: string
  /** Base units, a decimal string. */
  readonly collateral: string
  readonly reputation: number
}

/** How many are drawn from n entries. */
export interface CommitteeSize {
  /** Primaries: `min(size, n)`. */
  readonly k_eff: number
  /** Backups: `min(backups, n − k_eff)`. */
  readonly b_eff: number
  /** Equal votes that decide: `quorum(k_eff)`. */
  readonly q: number
  /** Fewer than `min_size` primaries: nobody is drawn and validators execute. */
  readonly fallback: boolean
}

/** A drawn member; positions below `k_eff` are primaries. */
export interface CommitteeMember {
  readonly position: number
  readonly role: 'primary' | 'backup'
  readonly node_key: string
  readonly node_id: string
  readonly weight: string
}

/** One step of a draw, for those who recompute it. */
export interface DrawStep {
  readonly j: number
  readonly word: Hex
  /** The word modulo the weights left, a decimal string. */
  readonly x: string
  /** Position among the entries. */
  readonly index: number
}

/** The committee of one task. */
export interface Committee extends CommitteeSize {
  readonly seed: Hex
  /** The weights of all entries, in snapshot order. */
  readonly weights: readonly string[]
  readonly draw: readonly CommitteeMember[]
  readonly draws: readonly DrawStep[]
  readonly committee_hash: Hex
}

/** The inputs of a draw. */
export interface DrawInput {
  /** Value of the beacon (section 12). */
  readonly beacon: string
  readonly project_id: string
  readonly epoch: number
  /** The number of the task, so that every task of an epoch has its own committee. */
  readonly seq: number
  readonly set_hash: string
  /** In snapshot order. */
  readonly entries: readonly Candidate[]
  readonly weight_cap: string
  /** Parameter of the network. */
  readonly weight_unit_wei: string
  readonly committee: Pick<CommitteeRules, 'size' | 'min_size' | 'backups'>
}

/** The part of a candidate's weight rules that the network and the project set, in base units. */
export interface WeightRules {
  readonly weight_cap: string
  readonly weight_unit_wei: string
}

/**
 * The weight of a candidate: `floor(min(collateral, weight_cap) / weight_unit_wei) × reputation`. The division comes first;
 * the product may exceed 64 bits.
 */
export function candidateWeight(
  candidate: Pick<Candidate, 'collateral' | 'reputation'>,
  { weight_cap, weight_unit_wei }: WeightRules,
): bigint {
  const collateral = BigInt(candidate.collateral)
  const cap = BigInt(weight_cap)
  return ((collateral < cap ? collateral : cap) / BigInt(weight_unit_wei)) * BigInt(candidate.reputation)
}

/** How many are drawn from n entries. In a fallback the numbers are still given. */
export function committeeSize(n: number, { size, min_size, backups }: DrawInput['committee']): CommitteeSize {
  const primaries = Math.min(size, n)
  return {
    k_eff: primaries,
    b_eff: Math.min(backups, n - primaries),
    q: quorum(primaries),
    fallback: primaries < min_size,
  }
}

/**
 * The seed of a task's draw: `H(text("<prefix>-sortition-v1") ‖ raw32(beacon value) ‖ raw32(project_id) ‖ u64(epoch) ‖
 * u64(seq) ‖ raw32(set_hash))`.
 * @throws {@link FormatError} for a malformed field.
 */
export function sortitionSeed(
  profile: Profile,
  input: Pick<DrawInput, 'beacon' | 'project_id' | 'epoch' | 'seq' | 'set_hash'>,
): Hex {
  return hashBytes(
    utf8(profileStrings(profile).sortition),
    raw32(input.beacon, 'beacon'),
    raw32(input.project_id, 'project_id'),
    u64(input.epoch, 'epoch'),
    u64(input.seq, 'seq'),
    raw32(input.set_hash, 'set_hash'),
  )
}

/**
 * Draws the committee of a task (section 14). For j = 0, 1, …: `word = H(seed ‖ u32(j))`, `x` = word modulo the weights of
 * those not yet drawn, by plain modulo without rejection; the first entry, in snapshot order, at which the running sum
 * exceeds `x` is drawn.
 *
 * @throws {@link FormatError} for a malformed field, or when nobody left has any weight, which a snapshot of collateral
 * above the network's floor excludes.
 */
export function drawCommittee(profile: Profile, input: DrawInput): Committee {
  const weights = input.entries.map((entry) => candidateWeight(entry, input))
  const size = committeeSize(input.entries.length, input.committee)
  const seed = sortitionSeed(profile, input)
  const draws = size.fallback ? [] : drawSteps(seed, weights, size.k_eff + size.b_eff)
  const draw = draws.map(({ index }, position): CommitteeMember => {
    const { node_key } = input.entries[index]!
    return {
      position,
      role: position < size.k_eff ? 'primary' : 'backup',
      node_key,
      node_id: deriveNodeId(profile, node_key),
      weight: String(weights[index]),
    }
  })
  return {
    ...size,
    seed,
    weights: weights.map(String),
    draw,
    draws,
    committee_hash: hashCommittee(draw.map((member) => member.node_key)),
  }
}

/** Hashes the drawn keys in draw order: `HC` of their array; an empty draw gives `H("[]")`. */
export const hashCommittee = (nodeKeys: readonly string[]): Hex => hashCanonicalJson(nodeKeys)

function drawSteps(seed: Hex, weights: readonly bigint[], count: number): DrawStep[] {
  const left = [...weights]
  let total = left.reduce((sum, weight) => sum + weight, 0n)
  return Array.from({ length: count }, (_, j) => {
    if (total === 0n) throw new FormatError('weights', 'above 0')
    const word = keccakBytes(raw32(seed), u32(j))
    const x = bytesToUnsigned(word) % total
    const index = indexAt(left, x)
    total -= left[index]!
    // A weight of 0 is never passed by a running sum, so no node is drawn twice.
    left[index] = 0n
    return { j, word: bytesToHex(word), x: String(x), index }
  })
}

function indexAt(weights: readonly bigint[], x: bigint): number {
  let sum = 0n
  return weights.findIndex((weight) => {
    sum += weight
    return x < sum
  })
}
