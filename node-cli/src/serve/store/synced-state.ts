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

/** What state sync has taken. The storage of a module is put in its place when all of it is there, in one transaction. */
export interface SyncedStateStore {
  readonly progress: () => SyncProgress
  readonly begin: () => void
  /** Forgets what was taken and not put in its place. */
  readonly complete: () => void
  /** Whether any module stores something here. */
  readonly hasStorage: () => boolean
  /** What is there of the buckets of a module; those that it has no more are removed. */
  readonly kept: (address: string, buckets: readonly StateBucket[]) => ReadonlyMap<number, KeptBucket>
  readonly keep: (address: string, buckets: readonly ProvenBucket[]) => void
  /** Replaces the storage of a module by what was taken of it. */
  readonly install: (target: StateTarget) => void
}

const progressFact = 'state_sync'

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
        db.exec('DELETE FROM sync_entries; DELETE FROM sync_buckets')
        facts.set(progressFact, 'complete')
      }),
    hasStorage: () => anyStorage.get() !== undefined,
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
    install: ({ address, sequence }) =>
      inTransaction(db, () => {
        const run = (sql: string) => db.prepare(sql).run(address)
        run('DELETE FROM storage WHERE address = ?')
        run('INSERT INTO storage SELECT address, key, value FROM sync_entries WHERE address = ?')
        run('DELETE FROM sync_entries WHERE address = ?')
        run('DELETE FROM sync_buckets WHERE address = ?')
        run('DELETE FROM sequences WHERE address = ?')
        if (sequence > 0) db.prepare('INSERT INTO sequences VALUES (?, ?)').run(address, sequence)
      }),
  }
}
