import type { DatabaseSync } from 'node:sqlite'

export type FactStore = Readonly<ReturnType<typeof factStore>>

/** Single values under names. */
export function factStore(db: DatabaseSync) {
  const select = db.prepare('SELECT value FROM facts WHERE name = ?')
  const upsert = db.prepare(
    'INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  return {
    get: (name: string): string | null => (select.get(name) as { value: string } | undefined)?.value ?? null,
    set: (name: string, value: string) => void upsert.run(name, value),
  }
}
