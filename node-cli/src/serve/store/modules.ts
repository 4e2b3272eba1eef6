import type { DatabaseSync } from 'node:sqlite'
import { keepArtifact } from '../../data-dir/run-records.ts'

/** The artifacts that the node keeps, and what their modules store. */
export interface ModuleStore {
  readonly artifact: (address: string) => Uint8Array | null
  /** Keeps an artifact whose address was checked. */
  readonly keep: (address: string, hbc: Uint8Array) => void
  /** What a module keeps under a key (hex of its bytes), or null. */
  readonly stored: (address: string, key: string) => Uint8Array | null
  /** How many runs have changed the storage of a module. */
  readonly sequence: (address: string) => number
  readonly count: () => number
  /** Addresses above one, ascending. */
  readonly after: (address: string, limit: number) => readonly string[]
}

export function moduleStore(db: DatabaseSync): ModuleStore {
  const artifact = db.prepare('SELECT hbc FROM modules WHERE address = ?')
  const stored = db.prepare('SELECT value FROM storage WHERE address = ? AND key = ?')
  const sequence = db.prepare('SELECT sequence FROM sequences WHERE address = ?')
  const after = db.prepare('SELECT address FROM modules WHERE address > ? ORDER BY address LIMIT ?')
  const count = db.prepare('SELECT count(*) AS count FROM modules')
  return {
    artifact: (address) => (artifact.get(address) as { hbc: Uint8Array } | undefined)?.hbc ?? null,
    keep: (address, hbc) => keepArtifact(db, address, hbc),
    stored: (address, key) => (stored.get(address, key) as { value: Uint8Array } | undefined)?.value ?? null,
    sequence: (address) => (sequence.get(address) as { sequence: number } | undefined)?.sequence ?? 0,
    count: () => (count.get() as { count: number }).count,
    after: (address, limit) => (after.all(address, limit) as { address: string }[]).map((row) => row.address),
  }
}
