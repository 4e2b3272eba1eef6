import type { DatabaseSync } from 'node:sqlite'
import { appendToLedger, type LedgerEntry } from '../../data-dir/run-records.ts'

/** Which receipts of the ledger are wanted. */
export interface LedgerQuery {
  readonly address: string | null
  readonly functionName: string | null
  readonly limit: number
}

/** The signed receipts of this node. */
export interface LedgerStore {
  /** Within a transaction of the caller's. */
  readonly append: (entry: LedgerEntry) => void
  /** Ids of receipts, the newest first. */
  readonly newest: (query: LedgerQuery) => readonly number[]
  /** The signed envelope, as JSON. */
  readonly envelope: (id: number) => string
  readonly count: () => number
}

export function ledgerStore(db: DatabaseSync): LedgerStore {
  const select = (where: string) => db.prepare(`SELECT id FROM ledger ${where} ORDER BY id DESC LIMIT ?`)
  const all = select('')
  const ofModule = select('WHERE address = ?')
  const ofFunction = select('WHERE function = ?')
  const ofBoth = select('WHERE address = ? AND function = ?')
  const envelope = db.prepare('SELECT envelope FROM ledger WHERE id = ?')
  // Nothing is ever removed, so the last id is their number.
  const last = db.prepare('SELECT coalesce(max(id), 0) AS count FROM ledger')
  const idsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id)
  return {
    append: (entry) => appendToLedger(db, entry),
    newest: ({ address, functionName, limit }) => {
      if (address !== null && functionName !== null) return idsOf(ofBoth.all(address, functionName, limit))
      if (address !== null) return idsOf(ofModule.all(address, limit))
      if (functionName !== null) return idsOf(ofFunction.all(functionName, limit))
      return idsOf(all.all(limit))
    },
    envelope: (id) => (envelope.get(id) as { envelope: string }).envelope,
    count: () => (last.get() as { count: number }).count,
  }
}
