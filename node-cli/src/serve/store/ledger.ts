import type { DatabaseSync } from 'node:sqlite'
import { appendToLedger, type LedgerEntry } from '../../data-dir/run-records.ts'

export interface LedgerQuery {
  readonly address: string | null
  readonly functionName: string | null
  /** Receipts before this id; null for the newest. */
  readonly before: number | null
  readonly limit: number
}

export type LedgerStore = Readonly<ReturnType<typeof ledgerStore>>

/** The signed receipts of this node. */
export function ledgerStore(db: DatabaseSync) {
  const select = (where: string) =>
    db.prepare(`SELECT id FROM ledger WHERE id < ? ${where} ORDER BY id DESC LIMIT ?`)
  const all = select('')
  const ofModule = select('AND address = ?')
  const ofFunction = select('AND function = ?')
  const ofBoth = select('AND address = ? AND function = ?')
  const envelope = db.prepare('SELECT envelope FROM ledger WHERE id = ?')
  // Counts every receipt that was ever appended: the oldest ones of rounds are dropped.
  const last = db.prepare('SELECT coalesce(max(id), 0) AS count FROM ledger')
  const idsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id)
  return {
    /** Within a transaction of the caller's. @returns The id of the receipt. */
    append: (entry: LedgerEntry): number => appendToLedger(db, entry),
    /** Ids of receipts, the newest first. */
    newest: ({ address, functionName, before, limit }: LedgerQuery): readonly number[] => {
      const end = before ?? Number.MAX_SAFE_INTEGER
      if (address !== null && functionName !== null)
        return idsOf(ofBoth.all(end, address, functionName, limit))
      if (address !== null) return idsOf(ofModule.all(end, address, limit))
      if (functionName !== null) return idsOf(ofFunction.all(end, functionName, limit))
      return idsOf(all.all(end, limit))
    },
    /** The signed envelope, as JSON; null for one that is not kept any more. */
    envelope: (id: number): string | null =>
      (envelope.get(id) as { envelope: string } | undefined)?.envelope ?? null,
    count: (): number => (last.get() as { count: number }).count,
  }
}
