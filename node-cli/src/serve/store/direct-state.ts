import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { IndexedRoot, ModuleChange } from './state-index.ts'

/** The storage changes of a round in which this node voted, before it is decided. */
export interface PendingChanges {
  /** The subject of the vote. */
  readonly subject: string
  readonly changes: readonly ModuleChange[]
}

/** The state of a module's storage that a quorum signed last. */
export interface CertifiedHead extends IndexedRoot {
  readonly roundId: string
}

/** Rounds of which nothing was heard; one may leave as much as a run may write. */
const pendingMax = 16

export type DirectStateStore = Readonly<ReturnType<typeof directStateStore>>

/** Storage changes of direct rounds: pending from the vote on, and written when a quorum has signed them. */
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
     * Within the transaction of the vote. Pending rounds that would write a module that this round looked at are dropped: if
     * they had been decided, this vote would build on their changes. Pending rounds of other modules stay: they may have been
     * decided without this node knowing it.
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
