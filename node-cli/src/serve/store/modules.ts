import type { DatabaseSync } from 'node:sqlite'
import { keepArtifact } from '../../data-dir/run-records.ts'

/** Entries of a module whose bytes are counted. */
const countedMax = 128

export type ModuleStore = Readonly<ReturnType<typeof moduleStore>>

/** The artifacts that the node keeps, and what their modules store. */
export function moduleStore(db: DatabaseSync) {
  const artifact = db.prepare('SELECT hbc FROM modules WHERE address = ?')
  const stored = db.prepare('SELECT value FROM storage WHERE address = ? AND key = ?')
  const bytes = db.prepare(
    `SELECT count(*) AS entries, coalesce(sum(length(key) + length(value)), 0) AS bytes
     FROM (SELECT key, value FROM storage WHERE address = ? LIMIT ${countedMax})`,
  )
  const sequence = db.prepare('SELECT sequence FROM sequences WHERE address = ?')
  const after = db.prepare('SELECT address FROM modules WHERE address > ? ORDER BY address LIMIT ?')
  const count = db.prepare('SELECT count(*) AS count FROM modules')
  return {
    artifact: (address: string): Uint8Array | null =>
      (artifact.get(address) as { hbc: Uint8Array } | undefined)?.hbc ?? null,
    /** Keeps an artifact whose address was checked. */
    keep: (address: string, hbc: Uint8Array) => keepArtifact(db, address, hbc),
    /** The value that a module stores under a key (hex of its bytes), or null. */
    stored: (address: string, key: string): Uint8Array | null =>
      (stored.get(address, key) as { value: Uint8Array } | undefined)?.value ?? null,
    /** The bytes that a module stores, without a scan: infinite for many entries. */
    storedBytes: (address: string): number => {
      const row = bytes.get(address) as { entries: number; bytes: number }
      return row.entries < countedMax ? row.bytes : Number.POSITIVE_INFINITY
    },
    /** How many runs have changed the storage of a module. */
    sequence: (address: string): number =>
      (sequence.get(address) as { sequence: number } | undefined)?.sequence ?? 0,
    count: (): number => (count.get() as { count: number }).count,
    /** Addresses above one, ascending. */
    after: (address: string, limit: number): readonly string[] =>
      (after.all(address, limit) as { address: string }[]).map((row) => row.address),
  }
}
