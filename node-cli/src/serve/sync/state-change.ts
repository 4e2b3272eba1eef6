import { hexToBytes } from '../../../../protocol/encoding/index.ts'
import {
  hashStateBucket,
  hashStateBuckets,
  hashStateLeaf,
  type StateBucket,
  sortStateLeaves,
  stateBucket,
  stateRootOf,
} from '../../../../protocol/execution/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { StorageWrite } from '../../engine/index.ts'
import { inSnapshot } from '../background/in-snapshot.ts'
import type { FullIndex, IndexChange, IndexedLeaf } from '../store/state-index.ts'
import { readEntries, readSequence } from './state-reader.ts'

/** Makes the index of everything that a module stores. */
export function computeStateIndex(profile: Profile, file: string, address: string): FullIndex {
  return inSnapshot(file, (db) => {
    const sequence = readSequence(db, address)
    const sorted = sortStateLeaves(readEntries(db, address))
    const { root, buckets } = stateRootOf(profile, sorted)
    const leaves = sorted.flatMap(({ bucket, leaves: own }) => own.map((leaf) => ({ bucket, ...leaf })))
    return { sequence, root, leaves, buckets }
  })
}

/**
 * The change of a module's index by writes. The index must match the module's storage: this function reads the buckets that
 * the writes touch, and the hashes of the others.
 */
export function computeIndexChange(
  profile: Profile,
  file: string,
  address: string,
  writes: readonly Pick<StorageWrite, 'key' | 'value'>[],
): IndexChange {
  return inSnapshot(file, (db) => {
    const leaves = writes.map(({ key, value }): IndexedLeaf => {
      const bytes = hexToBytes(`0x${key}`)
      const hash = value === null ? null : hexToBytes(hashStateLeaf({ key: bytes, value }))
      return { bucket: stateBucket(bytes), key, hash }
    })
    const selectLeaves = db.prepare('SELECT key, hash FROM state_leaves WHERE address = ? AND bucket = ?')
    const changed = [...Map.groupBy(leaves, ({ bucket }) => bucket)].map(([bucket, own]) => {
      const rows = selectLeaves.all(address, bucket) as { key: string; hash: Uint8Array }[]
      return [bucket, bucketHash(rows, own)] as const
    })
    const kept = db.prepare('SELECT bucket, hash FROM state_buckets WHERE address = ?').all(address)
    const buckets = new Map((kept as { bucket: number; hash: string }[]).map((row) => [row.bucket, row.hash]))
    for (const [bucket, hash] of changed)
      if (hash === null) buckets.delete(bucket)
      else buckets.set(bucket, hash)
    const ascending = ([...buckets] as StateBucket[]).sort(([a], [b]) => a - b)
    const root = hashStateBuckets(profile, ascending)
    return { sequence: readSequence(db, address) + 1, root, leaves, buckets: changed }
  })
}

/** Null for a bucket without leaves. */
function bucketHash(
  rows: readonly { readonly key: string; readonly hash: Uint8Array }[],
  changed: readonly IndexedLeaf[],
): string | null {
  const leaves = new Map(rows.map(({ key, hash }) => [key, hash]))
  for (const { key, hash } of changed)
    if (hash === null) leaves.delete(key)
    else leaves.set(key, hash)
  const sorted = [...leaves].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.length === 0 ? null : hashStateBucket(sorted.map(([, hash]) => hash))
}
