import type { DatabaseSync } from 'node:sqlite'
import type { StateBucket } from '../../../../protocol/execution/index.ts'
import { inTransaction } from '../../data-dir/database.ts'
import type { ProvenBucket, StateTarget } from '../sync/module-state.ts'
import type { FactStore } from './facts.ts'

/** How far the state sync of a data directory is; null if none was begun. */
export type SyncProgress = 'under_way' | 'complete' | null

export interface KeptBucket {
  readonly entries: number
  readonly isWhole: boolean
}

const progressFact = 'state_sync'

/** Takes some milliseconds. */
const movedAtOnce = 500

export type SyncedStateStore = Readonly<ReturnType<typeof syncedStateStore>>

/** The storage that state sync has taken. A module's storage is put in its place when all of it is there. */
export function syncedStateStore(db: DatabaseSync, facts: FactStore) {
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
  // An index of the old storage could have the same sequence as the new storage.
  const removeRoot = removeOf('state_roots')
  const removeInstall = removeOf('sync_installs')
  const removeBuckets = removeOf('sync_buckets')
  const removeAllEntries = removeOf('sync_entries')
  const anyStorage = db.prepare('SELECT 1 FROM sequences LIMIT 1')
  const isProgress = (fact: string | null): fact is SyncProgress =>
    fact === 'under_way' || fact === 'complete'
  return {
    progress: (): SyncProgress => {
      const fact = facts.get(progressFact)
      return isProgress(fact) ? fact : null
    },
    begin: () => facts.set(progressFact, 'under_way'),
    /** Forgets entries that were taken and not put in place. */
    complete: () =>
      inTransaction(db, () => {
        db.exec(`DELETE FROM storage WHERE address IN (SELECT address FROM sync_installs);
          DELETE FROM state_roots WHERE address IN (SELECT address FROM sync_installs);
          DELETE FROM sync_installs; DELETE FROM sync_entries; DELETE FROM sync_buckets`)
        facts.set(progressFact, 'complete')
      }),
    /** Whether any module stores something here. */
    hasStorage: () => anyStorage.get() !== undefined,
    /** Takes a bucket from what the module stores here, where that has the hash. @returns Whether it did. */
    copyOwn: (address: string, bucket: number, hash: string): boolean =>
      inTransaction(db, () => {
        if (isTaken.get(address, bucket, hash) !== undefined) return false
        if (hasOwn.get(address, bucket, hash) === undefined) return false
        removeEntries.run(address, bucket)
        copyEntries.run(address, bucket)
        putBucket.run(address, bucket, hash, 1)
        return true
      }),
    /** The buckets of a module that were taken, whole or in part; buckets that it no longer has are removed. */
    kept: (address: string, buckets: readonly StateBucket[]): ReadonlyMap<number, KeptBucket> =>
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
    keep: (address: string, buckets: readonly ProvenBucket[]) =>
      inTransaction(db, () => {
        for (const { bucket, hash, index, entries, isEnd } of buckets) {
          if (index === 0) removeEntries.run(address, bucket)
          for (const { key, value } of entries) putEntry.run(address, bucket, key, value)
          putBucket.run(address, bucket, hash, Number(isEnd))
        }
      }),
    /** Starts to replace the storage of a module by the storage taken from peers. */
    beginInstall: ({ address, sequence, state_root }: StateTarget) =>
      inTransaction(db, () => {
        removeStorage.run(address)
        removeSequence.run(address)
        removeRoot.run(address)
        putInstall.run(address, sequence, state_root)
      }),
    /** Puts some entries in place, so that the caller can do something else in between. @returns Whether all are in place. */
    installSome: ({ address, sequence }: StateTarget): boolean =>
      inTransaction(db, () => {
        const { changes } = moveEntries.run(address, movedAtOnce)
        removeMoved.run(address, address, movedAtOnce)
        if (Number(changes) === movedAtOnce) return false
        removeBuckets.run(address)
        removeInstall.run(address)
        if (sequence > 0) putSequence.run(address, sequence)
        return true
      }),
    /** The target of an unfinished installation; null if no installation is unfinished. */
    installing: (address: string): StateTarget | null =>
      (selectInstall.get(address) as StateTarget | undefined) ?? null,
    /** Undoes an unfinished installation. */
    dropInstall: (address: string) =>
      inTransaction(db, () => {
        for (const remove of [removeStorage, removeRoot, removeAllEntries, removeBuckets, removeInstall])
          remove.run(address)
      }),
  }
}
