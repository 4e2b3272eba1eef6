import type { DatabaseSync } from 'node:sqlite'

/** Single values under names. */
export interface FactStore {
  readonly get: (name: string) => string | null
  readonly set: (name: string, value: string) => void
}

export function factStore(db: DatabaseSync): FactStore {
  const select = db.prepare('SELECT value FROM facts WHERE name = ?')
  const upsert = db.prepare(
    'INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  return {
    get: (name) => (select.get(name) as { value: string } | undefined)?.value ?? null,
    set: (name, value) => void upsert.run(name, value),
  }
}
