import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StateBucket, StateTransition } from '../../../../protocol/execution/index.ts'
import type { StorageWrite } from '../../engine/index.ts'

/** The root of what a module stores at a sequence. */
export interface IndexedRoot {
  readonly sequence: number
  readonly root: string
}

/** An entry of the index; null once it is deleted. */
export interface IndexedLeaf {
  readonly bucket: number
  readonly key: string
  readonly hash: Uint8Array | null
}

/** The changed leaves and buckets of an index, and its new root. */
export interface IndexChange extends IndexedRoot {
  readonly leaves: readonly IndexedLeaf[]
  /** Null for a bucket that is empty after it. */
  readonly buckets: readonly (readonly [bucket: number, hash: string | null])[]
}

export interface FullIndex extends IndexedRoot {
  readonly leaves: readonly (IndexedLeaf & { readonly hash: Uint8Array })[]
  readonly buckets: readonly StateBucket[]
}

export interface ModuleChange {
  readonly transition: StateTransition
  readonly writes: readonly StorageWrite[]
  /** Null if nothing is written. */
  readonly index: IndexChange | null
}

/** Takes some milliseconds. */
const rowsAtOnce = 1_000

/** The leaves and buckets that state roots are computed from, kept beside the storage itself. */
export function stateIndexStore(
  db: DatabaseSync,
  transaction: <T>(work: () => T) => T,
  sequenceOf: (address: string) => number,
) {
  const selectRoot = db.prepare('SELECT sequence, root FROM state_roots WHERE address = ?')
  const putRoot = db.prepare(
    'INSERT INTO state_roots VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence, root = excluded.root',
  )
  const dropRoot = db.prepare('DELETE FROM state_roots WHERE address = ?')
  const putLeaf = db.prepare(
    'INSERT INTO state_leaves VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET hash = excluded.hash',
  )
  const dropLeaf = db.prepare('DELETE FROM state_leaves WHERE address = ? AND bucket = ? AND key = ?')
  const dropSomeLeaves = db.prepare(
    `DELETE FROM state_leaves WHERE address = ? AND (bucket, key) IN
     (SELECT bucket, key FROM state_leaves WHERE address = ? LIMIT ?)`,
  )
  const putBucket = db.prepare(
    'INSERT INTO state_buckets VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET hash = excluded.hash',
  )
  const dropBucket = db.prepare('DELETE FROM state_buckets WHERE address = ? AND bucket = ?')
  const dropBuckets = db.prepare('DELETE FROM state_buckets WHERE address = ?')

  const write = (address: string, { leaves, buckets }: Pick<IndexChange, 'leaves' | 'buckets'>): void => {
    for (const { bucket, key, hash } of leaves)
      if (hash === null) dropLeaf.run(address, bucket, key)
      else putLeaf.run(address, bucket, key, hash)
    for (const [bucket, hash] of buckets)
      if (hash === null) dropBucket.run(address, bucket)
      else putBucket.run(address, bucket, hash)
  }

  return {
    /** The root as of the storage that is there; null while the index is of another. */
    root: (address: string): IndexedRoot | null => {
      const found = selectRoot.get(address) as IndexedRoot | undefined
      return found?.sequence === sequenceOf(address) ? found : null
    },
    /** Within the transaction that changes the storage. */
    apply: (address: string, change: IndexChange): void => {
      write(address, change)
      putRoot.run(address, change.sequence, change.root)
    },
    /** Rebuilds the index, some rows at a time, so that the node answers meanwhile. Nothing may change the storage. */
    replace: async (address: string, { sequence, root, leaves, buckets }: FullIndex): Promise<void> => {
      dropRoot.run(address)
      dropBuckets.run(address)
      while (Number(dropSomeLeaves.run(address, address, rowsAtOnce).changes) === rowsAtOnce) await nextTurn()
      for (let first = 0; first < leaves.length; first += rowsAtOnce) {
        transaction(() => write(address, { leaves: leaves.slice(first, first + rowsAtOnce), buckets: [] }))
        await nextTurn()
      }
      transaction(() => {
        write(address, { leaves: [], buckets })
        putRoot.run(address, sequence, root)
      })
    },
  }
}
