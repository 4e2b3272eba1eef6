import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Does something with the database of a data directory that no node uses. */
export function inDatabase<T>(dataDir: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path.join(dataDir, 'node.sqlite'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}
