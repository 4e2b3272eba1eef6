import { lstatSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ArtifactError, openArtifact } from '../../../protocol/hbc/artifact.ts'
import { CliError } from '../cli/errors.ts'
import type { CallableModule, StateReader, StorageWrite } from '../engine/index.ts'
import { makeFolder } from './make-folder.ts'
import { checkRegular, ForeignFile } from './own-file.ts'

/** What a run leaves behind. */
export interface RunRecord {
  address: string
  hbc: Uint8Array
  functionName: string
  writes: readonly StorageWrite[]
  receiptHash: string
  /** The signed envelope, as JSON. */
  envelope: string
  createdAt: number
}

export interface Store {
  state: () => StateReader
  /** Keeps everything of one run, or nothing. */
  record: (run: RunRecord) => void
  close: () => void
}

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

/**
 * Opens the database of a data directory, and makes it when it is not there.
 *
 * @throws {@link CliError} when the database, or the disk it is on, cannot be used; so do the methods of the store.
 */
export function openStore(dataDir: string): Store {
  const file = path.join(dataDir, 'node.sqlite')
  const orRefuse = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof ForeignFile) throw new CliError('data_dir', error.message)
      if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
      throw new CliError('data_dir', `${file} cannot be used: ${(error as Error).message}`)
    }
  }
  const db = orRefuse(() => openDatabase(file))
  return {
    state: () => {
      const { findModule, findValue } = orRefuse(() => ({
        findModule: db.prepare('SELECT hbc FROM modules WHERE address = ?'),
        findValue: db.prepare('SELECT value FROM storage WHERE address = ? AND key = ?'),
      }))
      return {
        module: (address) => {
          const row = orRefuse(() => findModule.get(address)) as { hbc: Uint8Array } | undefined
          return row === undefined ? null : keptModule(file, address, row.hbc)
        },
        stored: (address, key) =>
          (orRefuse(() => findValue.get(address, key)) as { value: Uint8Array } | undefined)?.value ?? null,
      }
    },
    record: (run) => orRefuse(() => inTransaction(db, () => writeRun(db, run))),
    close: () => db.close(),
  }
}

function openDatabase(file: string): DatabaseSync {
  makeFolder(path.dirname(file), 0o700)
  // SQLite would wait for a pipe of this name.
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats !== undefined) checkRegular(file, stats)
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;')
    db.exec(schema)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** What is kept is no more trusted than what comes in: a run must not be that of another module. */
function keptModule(file: string, address: string, hbc: Uint8Array): CallableModule {
  try {
    const { wasm, manifest, manifestAddress } = openArtifact(hbc)
    if (manifestAddress === address) return { wasm, functions: manifest.functions }
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
  }
  throw new CliError(
    'data_dir',
    `the module ${address} in ${file} is damaged; run it from its artifact to mend it`,
  )
}

function writeRun(db: DatabaseSync, run: RunRecord): void {
  const { address, hbc, functionName, writes, receiptHash, envelope, createdAt } = run
  // An artifact that was just run replaces one that was damaged meanwhile.
  db.prepare(
    'INSERT INTO modules VALUES (?, ?) ON CONFLICT DO UPDATE SET hbc = excluded.hbc WHERE hbc <> excluded.hbc',
  ).run(address, hbc)
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
  db.prepare(
    'INSERT INTO ledger (address, function, receipt_hash, envelope, created_at) VALUES (?, ?, ?, ?, ?)',
  ).run(address, functionName, receiptHash, envelope, createdAt)
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
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
