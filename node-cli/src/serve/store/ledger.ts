import type { DatabaseSync } from 'node:sqlite'
import { appendToLedger, type LedgerEntry } from '../../data-dir/run-records.ts'

/** Which receipts of the ledger are wanted. */
export interface LedgerQuery {
  readonly address: string | null
  readonly functionName: string | null
  /** Receipts before this id; null for the newest. */
  readonly before: number | null
  readonly limit: number
}

/** The signed receipts of this node. */
export interface LedgerStore {
  /** Within a transaction of the caller's. @returns The id of the receipt. */
  readonly append: (entry: LedgerEntry) => number
  /** Ids of receipts, the newest first. */
  readonly newest: (query: LedgerQuery) => readonly number[]
  /** The signed envelope, as JSON; null for one that is not kept any more. */
  readonly envelope: (id: number) => string | null
  readonly count: () => number
}

export function ledgerStore(db: DatabaseSync): LedgerStore {
  const select = (where: string) =>
    db.prepare(`SELECT id FROM ledger WHERE id < ? ${where} ORDER BY id DESC LIMIT ?`)
  const all = select('')
  const ofModule = select('AND address = ?')
  const ofFunction = select('AND function = ?')
  const ofBoth = select('AND address = ? AND function = ?')
  const envelope = db.prepare('SELECT envelope FROM ledger WHERE id = ?')
  // Of those that were ever appended: the oldest ones of direct rounds are dropped.
  const last = db.prepare('SELECT coalesce(max(id), 0) AS count FROM ledger')
  const idsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id)
  return {
    append: (entry) => appendToLedger(db, entry),
    newest: ({ address, functionName, before, limit }) => {
      const end = before ?? Number.MAX_SAFE_INTEGER
      if (address !== null && functionName !== null)
        return idsOf(ofBoth.all(end, address, functionName, limit))
      if (address !== null) return idsOf(ofModule.all(end, address, limit))
      if (functionName !== null) return idsOf(ofFunction.all(end, functionName, limit))
      return idsOf(all.all(end, limit))
    },
    envelope: (id) => (envelope.get(id) as { envelope: string } | undefined)?.envelope ?? null,
    count: () => (last.get() as { count: number }).count,
  }
}
