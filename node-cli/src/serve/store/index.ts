import type { DatabaseSync } from 'node:sqlite'
import { databaseFile, inTransaction, openDatabase, orRefuse } from '../../data-dir/database.ts'
import { writeStorage } from '../../data-dir/run-records.ts'
import type { StorageWrite } from '../../engine/index.ts'
import { voteStore } from '../slashing-protection/votes.ts'
import { directRoundStore } from './direct-rounds.ts'
import { directStateStore } from './direct-state.ts'
import { epochStore } from './epochs.ts'
import { evidenceStore } from './evidence.ts'
import { factStore } from './facts.ts'
import { generationStore } from './generations.ts'
import { hubContactStore } from './hub-contact.ts'
import { leaseStore } from './leases.ts'
import { ledgerStore } from './ledger.ts'
import { additions, migrations } from './migrations.ts'
import { moduleStore } from './modules.ts'
import { nonceStore } from './nonces.ts'
import { projectRulesStore } from './project-rules.ts'
import { roundVoteStore } from './round-votes.ts'
import { roundStore } from './rounds.ts'
import { senderStore } from './senders.ts'
import { setStore } from './sets.ts'
import { stateIndexStore } from './state-index.ts'
import { syncedStateStore } from './synced-state.ts'
import { taskDataStore } from './task-data.ts'

export type ServeStore = Readonly<ReturnType<typeof openServeStore>>

/**
 * Opens everything that a serving node keeps, in the database of a data directory that this process has locked. Committed
 * changes are on the disk. @throws {@link CliError}
 */
export function openServeStore(dataDir: string) {
  const file = databaseFile(dataDir)
  const db = openDatabase(dataDir)
  try {
    orRefuse(file, () => {
      // The thread that waits answers nobody. No other process writes but a tool of the operator's.
      db.exec('PRAGMA busy_timeout = 500')
      migrate(db)
    })
    const facts = factStore(db)
    const modules = moduleStore(db)
    const transaction = <T>(work: () => T): T => inTransaction(db, work)
    const size = db.prepare('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size')
    return {
      file,
      /** For further stores over the same database. */
      db,
      directRounds: directRoundStore(db, facts, transaction),
      directState: directStateStore(db),
      epochs: epochStore(db),
      evidence: evidenceStore(db),
      facts,
      generations: generationStore(db),
      leases: leaseStore(db),
      hubContact: hubContactStore(db),
      ledger: ledgerStore(db),
      modules,
      nonces: nonceStore(db),
      projectRules: projectRulesStore(db),
      rounds: roundStore(db),
      roundVotes: roundVoteStore(db),
      senders: senderStore(db),
      sets: setStore(db),
      stateIndex: stateIndexStore(db, transaction, modules.sequence),
      syncedState: syncedStateStore(db, facts),
      taskData: taskDataStore(db, transaction),
      votes: voteStore(db, facts),
      /** Writes what a run stored, within a transaction of the caller's. */
      writeStorage: (writes: readonly StorageWrite[]) => writeStorage(db, writes),
      /** Everything that `work` writes, or nothing when it throws. */
      transaction,
      /** Bytes of the database. */
      size: (): number => (size.get() as { size: number }).size,
      close: (): void => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

function migrate(db: DatabaseSync): void {
  inTransaction(db, () => {
    const { user_version: applied } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    for (const sql of migrations.slice(applied)) db.exec(sql)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec(additions)
  })
}
