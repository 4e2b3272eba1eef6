import type { DatabaseSync } from 'node:sqlite'
import type { StorageWrite } from '../engine/index.ts'

/** A signed receipt as the ledger keeps it. */
export interface LedgerEntry {
  address: string
  functionName: string
  receiptHash: string
  /** The signed envelope, as JSON. */
  envelope: string
  createdAt: number
}

/** Keeps an artifact, which the caller has checked. It replaces a stored artifact that was damaged meanwhile. */
export function keepArtifact(db: DatabaseSync, address: string, hbc: Uint8Array): void {
  db.prepare(
    'INSERT INTO modules VALUES (?, ?) ON CONFLICT DO UPDATE SET hbc = excluded.hbc WHERE hbc <> excluded.hbc',
  ).run(address, hbc)
}

/** Writes what a run stored, and raises the sequence of each module whose storage it changed. */
export function writeStorage(db: DatabaseSync, writes: readonly StorageWrite[]): void {
  const put = db.prepare(
    'INSERT INTO storage VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM storage WHERE address = ? AND key = ?')
  for (const write of writes)
    if (write.value === null) remove.run(write.address, write.key)
    else put.run(write.address, write.key, write.value)
  const raise = db.prepare(
    'INSERT INTO sequences VALUES (?, 1) ON CONFLICT DO UPDATE SET sequence = sequence + 1',
  )
  for (const changed of new Set(writes.map((write) => write.address))) raise.run(changed)
}

/** @returns The id of the receipt. */
export function appendToLedger(db: DatabaseSync, entry: LedgerEntry): number {
  const { address, functionName, receiptHash, envelope, createdAt } = entry
  const { lastInsertRowid } = db
    .prepare(
      'INSERT INTO ledger (address, function, receipt_hash, envelope, created_at) VALUES (?, ?, ?, ?, ?)',
    )
    .run(address, functionName, receiptHash, envelope, createdAt)
  return Number(lastInsertRowid)
}
