import type { DatabaseSync } from 'node:sqlite'
import { CliError } from '../../cli/errors.ts'
import { databaseFile, inTransaction, openDatabase, orRefuse } from '../../data-dir/database.ts'
import { writeStorage } from '../../data-dir/run-records.ts'
import type { StorageWrite } from '../../engine/index.ts'
import { type VoteStore, voteStore } from '../slashing-protection/votes.ts'
import { type DirectRoundStore, directRoundStore } from './direct-rounds.ts'
import { type DirectStateStore, directStateStore } from './direct-state.ts'
import { type EpochStore, epochStore } from './epochs.ts'
import { type EvidenceStore, evidenceStore } from './evidence.ts'
import { type EvidencePostStore, evidencePostStore } from './evidence-posts.ts'
import { type FactStore, factStore } from './facts.ts'
import { type GenerationStore, generationStore } from './generations.ts'
import { type HubContactStore, hubContactStore } from './hub-contact.ts'
import { type LeaseStore, leaseStore } from './leases.ts'
import { type LedgerStore, ledgerStore } from './ledger.ts'
import { migrations } from './migrations.ts'
import { type ModuleStore, moduleStore } from './modules.ts'
import { type NonceStore, nonceStore } from './nonces.ts'
import { type ProjectRulesStore, projectRulesStore } from './project-rules.ts'
import { type RoundVoteStore, roundVoteStore } from './round-votes.ts'
import { type RoundStore, roundStore } from './rounds.ts'
import { type SenderStore, senderStore } from './senders.ts'
import { type SetStore, setStore } from './sets.ts'
import { type StateIndexStore, stateIndexStore } from './state-index.ts'
import { type SyncedStateStore, syncedStateStore } from './synced-state.ts'

/** Everything a serving node keeps, in the database of its data directory. What is committed is on the disk. */
export interface ServeStore {
  readonly file: string
  /** For further stores over the same database. */
  readonly db: DatabaseSync
  readonly directRounds: DirectRoundStore
  readonly directState: DirectStateStore
  readonly epochs: EpochStore
  readonly evidence: EvidenceStore
  readonly evidencePosts: EvidencePostStore
  readonly facts: FactStore
  readonly generations: GenerationStore
  readonly leases: LeaseStore
  readonly hubContact: HubContactStore
  readonly ledger: LedgerStore
  readonly modules: ModuleStore
  readonly nonces: NonceStore
  readonly projectRules: ProjectRulesStore
  readonly rounds: RoundStore
  readonly roundVotes: RoundVoteStore
  readonly senders: SenderStore
  readonly sets: SetStore
  readonly stateIndex: StateIndexStore
  readonly syncedState: SyncedStateStore
  readonly votes: VoteStore
  /** Writes what a run stored, within a transaction of the caller's. */
  readonly writeStorage: (writes: readonly StorageWrite[]) => void
  /** Everything that `work` writes, or nothing when it throws. */
  readonly transaction: <T>(work: () => T) => T
  /** Bytes of the database. */
  readonly size: () => number
  readonly close: () => void
}

/** Opens the store of a data directory that this process has taken. @throws {@link CliError} */
export function openServeStore(dataDir: string): ServeStore {
  const file = databaseFile(dataDir)
  const db = openDatabase(dataDir)
  try {
    orRefuse(file, () => {
      // The thread that waits answers nobody. No other process writes but a tool of the operator's.
      db.exec('PRAGMA busy_timeout = 500')
      migrate(db, file)
    })
    const facts = factStore(db)
    const modules = moduleStore(db)
    const transaction = <T>(work: () => T): T => inTransaction(db, work)
    const size = db.prepare('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size')
    return {
      file,
      db,
      directRounds: directRoundStore(db, facts, transaction),
      directState: directStateStore(db),
      epochs: epochStore(db),
      evidence: evidenceStore(db),
      evidencePosts: evidencePostStore(db),
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
      votes: voteStore(db, facts),
      writeStorage: (writes) => writeStorage(db, writes),
      transaction,
      size: () => (size.get() as { size: number }).size,
      close: () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

function migrate(db: DatabaseSync, file: string): void {
  inTransaction(db, () => {
    const { user_version: applied } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (applied > migrations.length)
      throw new CliError(
        'data_dir',
        `${file} was written by another version of nodectl: its tables have version ${applied}, and this nodectl knows ` +
          `${migrations.length}; install that version or a newer one, or use a new data directory with a new key`,
      )
    for (const sql of migrations.slice(applied)) db.exec(sql)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}
