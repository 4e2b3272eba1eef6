import {
  bytesToHex,
  concatBytes,
  FormatError,
  type Hex,
  hashBytes,
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
 * Hashes one entry. The lengths keep bytes from moving between key and value.
 *
 * | offset | bytes | field                  |
 * | ------ | ----- | ---------------------- |
 * | 0      | 4     | length of key, u32     |
 * | 4      | k     | key                    |
 * | 4 + k  | 4     | length of value, u32   |
 * | 8 + k  | v     | value                  |
 */
export function hashStateLeaf({ key, value }: StateEntry): Hex {
  return hashBytes(u32(key.length), key, u32(value.length), value)
}

/** Non-empty buckets, ascending, with the hash of their leaves; and the root over them. */
export interface StateRoot {
  readonly buckets: readonly (readonly [bucket: number, hash: Hex])[]
  readonly root: Hex
}

/**
 * Computes the state root of a module's store (section 16): a bucket's hash is `H` of its leaves joined in ascending order
 * of the key bytes, and `root = H(text("<prefix>-state-v1") ‖ for each non-empty bucket ascending: u16(bucket) ‖ hash)`.
 *
 * @param entries In any order.
 * @throws {@link FormatError} when a key occurs twice.
 */
export function computeStateRoot(profile: Profile, entries: readonly StateEntry[]): StateRoot {
  const sorted = entries.map((entry) => ({ entry, order: bytesToHex(entry.key) })).sort(byOrder)
  if (sorted.some(({ order }, i) => order === sorted[i - 1]?.order))
    throw new FormatError('key', 'unique in a store')

  const leaves = new Map<number, Uint8Array[]>()
  for (const { entry } of sorted) {
    const bucket = stateBucket(entry.key)
    const leaf = keccakBytes(u32(entry.key.length), entry.key, u32(entry.value.length), entry.value)
    const others = leaves.get(bucket)
    if (others === undefined) leaves.set(bucket, [leaf])
    else others.push(leaf)
  }
  const buckets = [...leaves]
    .sort(([a], [b]) => a - b)
    .map(([bucket, joined]) => [bucket, keccakList(joined)] as const)
  return {
    buckets: buckets.map(([bucket, hash]) => [bucket, bytesToHex(hash)]),
    root: bytesToHex(
      keccakList([
        utf8(profileStrings(profile).state),
        ...buckets.map(([bucket, hash]) => concatBytes(u16(bucket), hash)),
      ]),
    ),
  }
}

function byOrder(a: { order: string }, b: { order: string }): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0
}
