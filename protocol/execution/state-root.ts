import {
  bytesToHex,
  concatBytes,
  FormatError,
  type Hex,
  hashBytes,
  hexToBytes,
  keccakBytes,
  keccakList,
  u16,
  u32,
  utf8,
} from '../encoding/index.ts'
import { type Profile, profileStrings } from '../identity/index.ts'

/** One entry of a module's key-value store. */
export interface StateEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** The bucket of a key: the first 12 bits of `H(key)`, 0 … 4095. */
export function stateBucket(key: Uint8Array): number {
  const hash = keccakBytes(key)
  return (hash[0]! << 4) | (hash[1]! >> 4)
}

/**
 * Hashes one entry: `H(u32(length of key) ‖ key ‖ u32(length of value) ‖ value)`. The lengths keep bytes from moving between
 * key and value.
 */
export function hashStateLeaf({ key, value }: StateEntry): Hex {
  return hashBytes(u32(key.length), key, u32(value.length), value)
}

/** A non-empty bucket of a store, and the hash of its leaves. */
export type StateBucket = readonly [bucket: number, hash: Hex]

/** Non-empty buckets, ascending, and the root over them. */
export interface StateRoot {
  readonly buckets: readonly StateBucket[]
  readonly root: Hex
}

/** An entry without its value: what a bucket's hash is made of. */
export interface StateLeaf {
  /** Hex digits of the key, without `0x`: their order is that of the bytes. */
  readonly key: string
  readonly hash: Uint8Array
}

/** The leaves of a bucket, ascending by key. */
export interface BucketLeaves {
  readonly bucket: number
  readonly leaves: readonly StateLeaf[]
}

/**
 * Sorts the entries of a store into its non-empty buckets, ascending. Only the hash of a value is kept.
 *
 * @param entries In any order.
 * @throws {@link FormatError} when a key occurs twice.
 */
export function sortStateLeaves(entries: Iterable<StateEntry>): BucketLeaves[] {
  const buckets = new Map<number, StateLeaf[]>()
  for (const { key, value } of entries) {
    const bucket = stateBucket(key)
    const leaf = {
      key: bytesToHex(key).slice(2),
      hash: keccakBytes(u32(key.length), key, u32(value.length), value),
    }
    const others = buckets.get(bucket)
    if (others === undefined) buckets.set(bucket, [leaf])
    else others.push(leaf)
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([bucket, leaves]) => ({ bucket, leaves: requireUnique(leaves.sort(byKey)) }))
}

/** Hashes a bucket: `H` of its leaves joined, in ascending order of the key bytes. */
export const hashStateBucket = (leaves: readonly Uint8Array[]): Hex => bytesToHex(keccakList(leaves))

/**
 * Hashes the buckets of a store: `H(text("<prefix>-state-v1") ‖ for each non-empty bucket ascending: u16(bucket) ‖ hash)`.
 *
 * @param buckets Ascending.
 */
export function hashStateBuckets(profile: Profile, buckets: readonly StateBucket[]): Hex {
  return bytesToHex(
    keccakList([
      utf8(profileStrings(profile).state),
      ...buckets.map(([bucket, hash]) => concatBytes(u16(bucket), hexToBytes(hash))),
    ]),
  )
}

/** The root over leaves that were sorted into their buckets. */
export function stateRootOf(profile: Profile, sorted: readonly BucketLeaves[]): StateRoot {
  const buckets = sorted.map(
    ({ bucket, leaves }) => [bucket, hashStateBucket(leaves.map(({ hash }) => hash))] as const,
  )
  return { buckets, root: hashStateBuckets(profile, buckets) }
}

/**
 * Computes the state root of a module's store (section 16).
 *
 * @param entries In any order.
 * @throws {@link FormatError} when a key occurs twice.
 */
export function computeStateRoot(profile: Profile, entries: Iterable<StateEntry>): StateRoot {
  return stateRootOf(profile, sortStateLeaves(entries))
}

function requireUnique(leaves: readonly StateLeaf[]): readonly StateLeaf[] {
  if (leaves.some(({ key }, i) => key === leaves[i - 1]?.key))
    throw new FormatError('key', 'unique in a store')
  return leaves
}

const byKey = (a: StateLeaf, b: StateLeaf): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
