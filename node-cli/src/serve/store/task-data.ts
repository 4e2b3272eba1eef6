import type { DatabaseSync } from 'node:sqlite'
import { givenUpSeconds } from './rounds.ts'

/** How long and how much of the data of task rounds is kept. */
export interface TaskDataRetention {
  readonly seconds: number
  readonly bytes: number
  /** A validator keeps the run beside its vote for this long at least: the hub may not have the result yet. */
  readonly graceSeconds: number
}

export const taskDataRetention: TaskDataRetention = {
  seconds: 7 * 86_400,
  bytes: 512 * 1024 * 1024,
  graceSeconds: 900,
}

/** Takes some milliseconds. */
const droppedAtOnce = 50

/**
 * The large data of task rounds: the receipts of a miner in the ledger, and the runs that a validator answers beside its
 * finality votes. Modules of others decide how large they are, so they are dropped after a while. The votes stay for ever.
 */
export function taskDataStore(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const insertReceipt = db.prepare(
    `INSERT INTO task_data (ledger_id, bytes, created_at)
     SELECT id, octet_length(envelope), created_at FROM ledger WHERE id = ?`,
  )
  const insertAnswer = db.prepare(
    `INSERT INTO task_data (round_id, bytes, created_at)
     SELECT round_id, octet_length(answer), created_at FROM votes
     WHERE kind = 'finality' AND octet_length(answer) > 4 AND round_id = ?`,
  )
  const postpone = db.prepare('INSERT INTO task_data (round_id, bytes, created_at) VALUES (?, ?, ?)')
  const oldest = db.prepare('SELECT * FROM task_data ORDER BY id LIMIT ?')
  const drop = db.prepare('DELETE FROM task_data WHERE id = ?')
  const dropReceipt = db.prepare('DELETE FROM ledger WHERE id = ?')
  const dropAnswer = db.prepare(
    "UPDATE votes SET answer = NULL WHERE kind = 'finality' AND octet_length(answer) > 4 AND round_id = ?",
  )
  const newestReceipt = db.prepare('SELECT max(id) AS id FROM ledger')
  const decided = db.prepare(
    "SELECT 1 FROM rounds WHERE round_id = ? AND (final_seq IS NOT NULL OR state = 'failed' OR seen_at < ?)",
  )
  const totals = db.prepare('SELECT bytes FROM task_data_total')

  /** @returns Whether it is gone. The run of an open round, for which the hub may ask, is looked at again later. */
  const dropOne = ({ ledger_id: ledgerId, round_id: roundId, bytes, id }: Row, now: number): boolean => {
    drop.run(id)
    if (ledgerId !== null) dropReceipt.run(ledgerId)
    else if (decided.get(roundId, now - givenUpSeconds) !== undefined) dropAnswer.run(roundId)
    else {
      postpone.run(roundId, bytes, now)
      return false
    }
    return true
  }

  return {
    /** Within the transaction of the vote, as {@link keepAnswer}. */
    keepReceipt: (ledgerId: number) => void insertReceipt.run(ledgerId),
    /** Notes the run beside the finality vote of a round. */
    keepAnswer: (roundId: string) => void insertAnswer.run(roundId),
    /** Drops some of the oldest that are more than may be kept. @returns How many it looked at, dropped or not. */
    prune: ({ seconds, bytes, graceSeconds }: TaskDataRetention, now: number): number =>
      transaction(() => {
        let seen = 0
        let { bytes: left } = totals.get() as { bytes: number }
        // The ledger would give the number of its newest receipt again.
        const { id: newest } = newestReceipt.get() as { id: number | null }
        for (const row of oldest.all(droppedAtOnce) as unknown as Row[]) {
          const age = now - row.created_at
          const mayGo = row.ledger_id !== null || age > graceSeconds
          if (age <= seconds && !(left > bytes && mayGo)) break
          if (row.ledger_id !== null && row.ledger_id === newest) continue
          seen += 1
          if (dropOne(row, now)) left -= row.bytes
        }
        return seen
      }),
  }
}

interface Row {
  readonly id: number
  /** Null for a receipt. */
  readonly round_id: string
  /** Null for the run of a validator. */
  readonly ledger_id: number | null
  readonly bytes: number
  readonly created_at: number
}
