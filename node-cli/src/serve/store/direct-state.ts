import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { IndexedRoot, ModuleChange } from './state-index.ts'

/** What a round in which this node voted would make of storage. */
export interface PendingChanges {
  /** What the vote is for. */
  readonly subject: string
  readonly changes: readonly ModuleChange[]
}

/** What a quorum signed last of the storage of a module. */
export interface CertifiedHead extends IndexedRoot {
  readonly roundId: string
}

/** Rounds of which nothing was heard; one may leave as much as a run may write. */
const pendingMax = 16

export type DirectStateStore = Readonly<ReturnType<typeof directStateStore>>

/** What direct rounds make of storage: it is pending from the vote on, and written when a quorum has signed it. */
export function directStateStore(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO pending_rounds (round_id, subject, written, changes) VALUES (?, ?, ?, ?)',
  )
  const select = db.prepare('SELECT subject, changes FROM pending_rounds WHERE round_id = ?')
  const drop = db.prepare('DELETE FROM pending_rounds WHERE round_id = ?')
  const dropOver = db.prepare(
    `DELETE FROM pending_rounds WHERE EXISTS
     (SELECT 1 FROM json_each(written) AS own JOIN json_each(?) AS seen ON seen.value = own.value)`,
  )
  const dropOldest = db.prepare(
    'DELETE FROM pending_rounds WHERE id <= (SELECT max(id) FROM pending_rounds) - ?',
  )
  const selectHead = db.prepare(
    'SELECT sequence, root, round_id AS roundId FROM state_heads WHERE address = ?',
  )
  const putHead = db.prepare(
    `INSERT INTO state_heads VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET sequence = excluded.sequence, root = excluded.root, round_id = excluded.round_id`,
  )
  return {
    /**
     * Within the transaction of the vote. What was pending of rounds that would write what this one looked at is forgotten:
     * had they been decided, this vote would be for what they wrote. Of other modules a round may be decided, and this node
     * not know.
     */
    keep: (roundId: string, { subject, changes }: PendingChanges): void => {
      const addressesOf = (some: readonly ModuleChange[]) =>
        JSON.stringify(some.map(({ transition }) => transition.module_address))
      dropOver.run(addressesOf(changes))
      const written = changes.filter(({ index }) => index !== null)
      insert.run(roundId, subject, addressesOf(written), serialize(changes))
      dropOldest.run(pendingMax)
    },
    pending: (roundId: string): PendingChanges | null => {
      const row = select.get(roundId) as { subject: string; changes: Uint8Array } | undefined
      if (row === undefined) return null
      return { subject: row.subject, changes: deserialize(row.changes) as ModuleChange[] }
    },
    drop: (roundId: string) => void drop.run(roundId),
    /** Null for a module whose storage no quorum has signed. */
    head: (address: string): CertifiedHead | null =>
      (selectHead.get(address) as CertifiedHead | undefined) ?? null,
    setHead: (address: string, { sequence, root, roundId }: CertifiedHead) =>
      void putHead.run(address, sequence, root, roundId),
  }
}
