import { DatabaseSync } from 'node:sqlite'

/** Reads a database that another thread writes: everything `read` sees is of one moment. */
export function inSnapshot<T>(file: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    db.exec('BEGIN')
    return read(db)
  } finally {
    db.close()
  }
}
