import { constants, fchmodSync, fstatSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CliError } from '../cli/errors.ts'
import { makeFolder } from './make-folder.ts'
import { ForeignFile, useOwnFile } from './own-file.ts'

/** The file in a data directory that holds modules, their storage and the ledger. */
export const databaseFile = (dataDir: string): string => path.join(dataDir, 'node.sqlite')

const schema = `
  CREATE TABLE IF NOT EXISTS modules (address TEXT PRIMARY KEY, hbc BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS storage (
    address TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (address, key)
  ) WITHOUT ROWID;
  -- Rises by one with every run that changed the storage of the module.
  CREATE TABLE IF NOT EXISTS sequences (address TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ledger (
    id INTEGER PRIMARY KEY, address TEXT NOT NULL, function TEXT NOT NULL,
    receipt_hash TEXT NOT NULL, envelope TEXT NOT NULL, created_at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS ledger_by_module ON ledger (address, function, id);
`

/** The version of the tables that this build knows, those of `serve` included: the number of its migrations. */
export const tablesVersion = 1

/** Says that a newer version wrote the tables of a database; null if this build knows them. */
export function otherVersionOf(db: DatabaseSync, file: string): string | null {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (version <= tablesVersion) return null
  return `${file} was written by another version of nodectl: its tables have version ${version}, and this nodectl knows ${tablesVersion}`
}

/**
 * Opens the database of a data directory, and makes it if it does not exist. Committed changes survive a power cut.
 *
 * @throws {@link CliError} when the database, or the disk it is on, cannot be used, and for one of a newer version, which
 * stays as it is.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  const file = databaseFile(dataDir)
  return orRefuse(file, () => {
    makeFolder(dataDir, 0o700)
    keepPrivate(file)
    const db = new DatabaseSync(file)
    try {
      const other = otherVersionOf(db, file)
      if (other !== null)
        throw new CliError(
          'data_dir',
          `${other}; install that version or a newer one, or use a new data directory with a new key`,
        )
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;')
      db.exec(schema)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

/**
 * Has the file for its owner alone: it holds what modules store, and votes that are not sent yet. SQLite gives its log the
 * mode of the file. It would wait for a pipe of this name.
 */
function keepPrivate(file: string): void {
  const secure = (descriptor: number): void => {
    if ((fstatSync(descriptor).mode & 0o777) !== ownerOnly) fchmodSync(descriptor, ownerOnly)
  }
  useOwnFile(file, constants.O_RDWR | constants.O_CREAT, secure, ownerOnly)
}

const ownerOnly = 0o600

interface DatabaseFailure extends Error {
  readonly code: 'ERR_SQLITE_ERROR'
}

/** Whether a database could not be used: its disk is full or fails, or another program holds it. Nothing was written. */
export const isDatabaseFailure = (error: unknown): error is DatabaseFailure =>
  error instanceof Error && (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR'

/** Returns the result of `work`; reports faults of a database as faults of its data directory. @throws {@link CliError} */
export function orRefuse<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ForeignFile) throw new CliError('data_dir', error.message)
    if (!isDatabaseFailure(error)) throw error
    throw new CliError('data_dir', `${file} cannot be used: ${error.message}`)
  }
}

/** Everything that `work` writes, or nothing when it throws. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(db)
    throw error
  }
}

/** A disk that is full, or fails, ends the transaction by itself; what went wrong with the work is what counts. */
function rollBack(db: DatabaseSync): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // There was nothing left to take back.
  }
}
