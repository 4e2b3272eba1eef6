import type { DatabaseSync } from 'node:sqlite'
import type { StateBucket } from '../../../../protocol/execution/index.ts'
import { inTransaction } from '../../data-dir/database.ts'
import type { ProvenBucket, StateTarget } from '../sync/module-state.ts'
import type { FactStore } from './facts.ts'

/** How far the state sync of a data directory is; null where none was begun. */
export type SyncProgress = 'under_way' | 'complete' | null

/** How much of a bucket is there. */
export interface KeptBucket {
  readonly entries: number
  readonly isWhole: boolean
}

/** What state sync has taken. The storage of a module is put in its place when all of it is there. */
export interface SyncedStateStore {
  readonly progress: () => SyncProgress
  readonly begin: () => void
  /** Forgets what was taken and not put in its place. */
  readonly complete: () => void
  /** Whether any module stores something here. */
  readonly hasStorage: () => boolean
  /** Takes a bucket from what the module stores here, where that has the hash. @returns Whether it did. */
  readonly copyOwn: (address: string, bucket: number, hash: string) => boolean
  /** What is there of the buckets of a module; those that it has no more are removed. */
  readonly kept: (address: string, buckets: readonly StateBucket[]) => ReadonlyMap<number, KeptBucket>
  readonly keep: (address: string, buckets: readonly ProvenBucket[]) => void
  /** Begins to replace the storage of a module by what was taken of it. */
  readonly beginInstall: (target: StateTarget) => void
  /** Puts some of it in its place, so that the caller can do something else meanwhile. @returns Whether all is. */
  readonly installSome: (target: StateTarget) => boolean
  /** What was begun to be put in place, and is not. */
  readonly installing: (address: string) => StateTarget | null
  /** Takes back what was begun. */
  readonly dropInstall: (address: string) => void
}

const progressFact = 'state_sync'

/** Takes some milliseconds. */
const movedAtOnce = 500

export function syncedStateStore(db: DatabaseSync, facts: FactStore): SyncedStateStore {
  const selectBuckets = db.prepare(
    'SELECT bucket, hash, is_whole AS isWhole FROM sync_buckets WHERE address = ?',
  )
  const countEntries = db.prepare(
    'SELECT count(*) AS count FROM sync_entries WHERE address = ? AND bucket = ?',
  )
  const removeBucket = db.prepare('DELETE FROM sync_buckets WHERE address = ? AND bucket = ?')
  const removeEntries = db.prepare('DELETE FROM sync_entries WHERE address = ? AND bucket = ?')
  const putBucket = db.prepare(
    `INSERT INTO sync_buckets VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, is_whole = excluded.is_whole`,
  )
  const putEntry = db.prepare('INSERT INTO sync_entries VALUES (?, ?, ?, ?)')
  // The index is of the storage that is there only at the same sequence.
  const hasOwn = db.prepare(
    `SELECT 1 FROM state_buckets JOIN state_roots USING (address) JOIN sequences USING (address)
     WHERE address = ? AND bucket = ? AND hash = ? AND state_roots.sequence = sequences.sequence`,
  )
  const isTaken = db.prepare(
    'SELECT 1 FROM sync_buckets WHERE address = ? AND bucket = ? AND hash = ? AND is_whole',
  )
  const copyEntries = db.prepare(
    `INSERT INTO sync_entries SELECT address, bucket, key, value FROM state_leaves JOIN storage USING (address, key)
     WHERE address = ? AND bucket = ?`,
  )
  const selectInstall = db.prepare(
    'SELECT address, sequence, state_root FROM sync_installs WHERE address = ?',
  )
  const putInstall = db.prepare('INSERT INTO sync_installs VALUES (?, ?, ?)')
  const putSequence = db.prepare('INSERT INTO sequences VALUES (?, ?)')
  const moveEntries = db.prepare(
    'INSERT INTO storage SELECT address, key, value FROM sync_entries WHERE address = ? ORDER BY bucket, key LIMIT ?',
  )
  const removeMoved = db.prepare(
    `DELETE FROM sync_entries WHERE address = ? AND (bucket, key) IN
     (SELECT bucket, key FROM sync_entries WHERE address = ? ORDER BY bucket, key LIMIT ?)`,
  )
  const removeOf = (table: string) => db.prepare(`DELETE FROM ${table} WHERE address = ?`)
  const removeStorage = removeOf('storage')
  const removeSequence = removeOf('sequences')
  // An index of what was here before could have the sequence of what comes.
  const removeRoot = removeOf('state_roots')
  const removeInstall = removeOf('sync_installs')
  const removeBuckets = removeOf('sync_buckets')
  const removeAllEntries = removeOf('sync_entries')
  const anyStorage = db.prepare('SELECT 1 FROM sequences LIMIT 1')
  const isProgress = (fact: string | null): fact is SyncProgress =>
    fact === 'under_way' || fact === 'complete'
  return {
    progress: () => {
      const fact = facts.get(progressFact)
      return isProgress(fact) ? fact : null
    },
    begin: () => facts.set(progressFact, 'under_way'),
    complete: () =>
      inTransaction(db, () => {
        db.exec(`DELETE FROM storage WHERE address IN (SELECT address FROM sync_installs);
          DELETE FROM state_roots WHERE address IN (SELECT address FROM sync_installs);
          DELETE FROM sync_installs; DELETE FROM sync_entries; DELETE FROM sync_buckets`)
        facts.set(progressFact, 'complete')
      }),
    hasStorage: () => anyStorage.get() !== undefined,
    copyOwn: (address, bucket, hash) =>
      inTransaction(db, () => {
        if (isTaken.get(address, bucket, hash) !== undefined) return false
        if (hasOwn.get(address, bucket, hash) === undefined) return false
        removeEntries.run(address, bucket)
        copyEntries.run(address, bucket)
        putBucket.run(address, bucket, hash, 1)
        return true
      }),
    kept: (address, buckets) =>
      inTransaction(db, () => {
        const wanted = new Map(buckets)
        const kept = new Map<number, KeptBucket>()
        const rows = selectBuckets.all(address) as { bucket: number; hash: string; isWhole: number }[]
        for (const { bucket, hash, isWhole } of rows)
          if (wanted.get(bucket) === hash) {
            const { count } = countEntries.get(address, bucket) as { count: number }
            kept.set(bucket, { entries: count, isWhole: isWhole === 1 })
          } else {
            removeEntries.run(address, bucket)
            removeBucket.run(address, bucket)
          }
        return kept
      }),
    keep: (address, buckets) =>
      inTransaction(db, () => {
        for (const { bucket, hash, index, entries, isEnd } of buckets) {
          if (index === 0) removeEntries.run(address, bucket)
          for (const { key, value } of entries) putEntry.run(address, bucket, key, value)
          putBucket.run(address, bucket, hash, Number(isEnd))
        }
      }),
    beginInstall: ({ address, sequence, state_root }) =>
      inTransaction(db, () => {
        removeStorage.run(address)
        removeSequence.run(address)
        removeRoot.run(address)
        putInstall.run(address, sequence, state_root)
      }),
    installSome: ({ address, sequence }) =>
      inTransaction(db, () => {
        const { changes } = moveEntries.run(address, movedAtOnce)
        removeMoved.run(address, address, movedAtOnce)
        if (Number(changes) === movedAtOnce) return false
        removeBuckets.run(address)
        removeInstall.run(address)
        if (sequence > 0) putSequence.run(address, sequence)
        return true
      }),
    installing: (address) => (selectInstall.get(address) as StateTarget | undefined) ?? null,
    dropInstall: (address) =>
      inTransaction(db, () => {
        for (const remove of [removeStorage, removeRoot, removeAllEntries, removeBuckets, removeInstall])
          remove.run(address)
      }),
  }
}
