import { ArtifactError, openArtifact } from '../../../protocol/hbc/artifact.ts'
import { CliError } from '../cli/errors.ts'
import type { CallableModule, StateReader, StorageWrite } from '../engine/index.ts'
import { databaseFile, inTransaction, openDatabase, orRefuse } from './database.ts'
import { appendToLedger, keepArtifact, type LedgerEntry, writeStorage } from './run-records.ts'

/** The data that one run leaves in a store. */
export interface RunRecord extends LedgerEntry {
  hbc: Uint8Array
  writes: readonly StorageWrite[]
}

export interface Store {
  state: () => StateReader
  /** Keeps everything of one run, or nothing. */
  record: (run: RunRecord) => void
  close: () => void
}

/**
 * Opens the store of a data directory for one run, and makes it when it is not there.
 *
 * @throws {@link CliError} when the database, or the disk it is on, cannot be used; so do the methods of the store.
 */
export function openStore(dataDir: string): Store {
  const file = databaseFile(dataDir)
  const db = openDatabase(dataDir)
  return {
    state: () => {
      const { findModule, findValue } = orRefuse(file, () => ({
        findModule: db.prepare('SELECT hbc FROM modules WHERE address = ?'),
        findValue: db.prepare('SELECT value FROM storage WHERE address = ? AND key = ?'),
      }))
      return {
        module: (address) => {
          const row = orRefuse(file, () => findModule.get(address)) as { hbc: Uint8Array } | undefined
          return row === undefined ? null : keptModule(file, address, row.hbc)
        },
        stored: (address, key) =>
          (orRefuse(file, () => findValue.get(address, key)) as { value: Uint8Array } | undefined)?.value ??
          null,
      }
    },
    record: (run) =>
      orRefuse(file, () =>
        inTransaction(db, () => {
          keepArtifact(db, run.address, run.hbc)
          writeStorage(db, run.writes)
          appendToLedger(db, run)
        }),
      ),
    close: () => db.close(),
  }
}

/** Checks a stored module like one that comes in: a run must not execute another module. */
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
