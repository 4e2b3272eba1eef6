import { ledgerMigrations } from '../../durable-objects/archivist/migrations.ts'
import { type Sql, sqlOf } from '../../durable-objects/sql.ts'
import { migrate } from '../../durable-objects/sql-migrations.ts'
import type { EpochPosition, KeptEpoch, NewArchive, PagePosition } from '../stores/archives.ts'

export interface Part {
  number: number
  etag: string
  bytes: number
  rounds: number
  members: readonly number[]
}

/** An archive that is being written, and then read back. */
export interface Job {
  epoch: KeptEpoch
  uploadId: string | null
  /** The position after which the next part begins. */
  after: PagePosition | null
  /** `reading` once all parts are in the bucket, as one file. */
  stage: 'writing' | 'completing' | 'reading'
  lastIssuedAt: number
  written: Passed
  read: Passed
  failures: number
}

export interface Passed {
  parts: number
  bytes: number
  rounds: number
  /** The state of a {@link RunningSha256}. */
  digest: readonly number[] | null
}

/** Entries on their way into the index: all up to a position, from a partition on. */
export interface Run {
  partition: number
  lastEntries: number
  lastWritten: number
}

export interface WrittenArchive {
  position: number
  archive: NewArchive
  epoch: KeptEpoch
}

/** Rows of an object hold two megabytes. */
const blobBytesMax = 20_000 * 52

/** The progress of the archivist. Every change is one transaction, so after a stop the work continues as if nothing had happened. */
export class ArchiveLedger {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
    migrate(storage, ledgerMigrations)
  }

  get due(): readonly KeptEpoch[] {
    return this.#storage.kv.get('due') ?? []
  }

  /** How far the present look at the database has come: `end` after the last epoch. */
  get after(): EpochPosition | 'end' | null {
    return this.#storage.kv.get('after') ?? null
  }

  get isFull(): boolean {
    return this.#storage.kv.get('is_full') ?? false
  }

  keepDue(due: readonly KeptEpoch[], after: EpochPosition | 'end' | null, isFull: boolean): void {
    const { kv } = this.#storage
    kv.put('due', due)
    kv.put('after', after)
    kv.put('is_full', isFull)
  }

  get job(): Job | null {
    return this.#storage.kv.get('job') ?? null
  }

  /** Begins the archive of the next epoch that is due. @param rounds - How many of its rounds ended. */
  begin(rounds: number): void {
    const [epoch, ...due] = this.due
    const none: Passed = { parts: 0, bytes: 0, rounds: 0, digest: null }
    const job: Omit<Job, 'epoch'> = {
      ...{ uploadId: null, after: null, stage: 'writing', lastIssuedAt: 0 },
      ...{ written: none, read: none, failures: 0 },
    }
    this.#storage.transactionSync(() => {
      this.#sql`DELETE FROM parts`
      this.#storage.kv.put('due', due)
      this.#storage.kv.put('job', { epoch: { ...epoch, rounds }, ...job })
    })
  }

  keepJob(job: Job): void {
    this.#storage.kv.put('job', job)
  }

  /** Gives an archive up: its epoch stays in the database. */
  endJob(): void {
    this.#storage.transactionSync(() => {
      this.#storage.kv.delete('job')
      this.#sql`DELETE FROM parts`
    })
  }

  addPart({ number, etag, bytes, rounds, members }: Part, job: Job): void {
    this.#storage.transactionSync(() => {
      this
        .#sql`INSERT OR REPLACE INTO parts VALUES (${number}, ${etag}, ${bytes}, ${rounds}, ${JSON.stringify(members)})`
      this.keepJob(job)
    })
  }

  etags(): string[] {
    return this.#sql<{ etag: string }>`SELECT etag FROM parts ORDER BY number`.map(({ etag }) => etag)
  }

  part(number: number): Part {
    const [row] = this.#sql<Omit<Part, 'members'> & { members: string }>`
      SELECT * FROM parts WHERE number = ${number}`
    return { ...row!, members: JSON.parse(row!.members) as number[] }
  }

  /** A part was read back. */
  keepRead(job: Job, entries: Uint8Array): void {
    this.#storage.transactionSync(() => {
      this.keepJob(job)
      for (let at = 0; at < entries.length; at += blobBytesMax)
        this.#sql`INSERT INTO entries (bytes) VALUES (${entries.slice(at, at + blobBytesMax).buffer})`
    })
  }

  /** The last part was read back, and the archive is whole. */
  finishJob(archive: NewArchive, job: Job, entries: Uint8Array): void {
    const { epoch } = job
    this.#storage.transactionSync(() => {
      this.keepRead(job, entries)
      this.#sql`INSERT INTO written (archive, epoch, rounds, written_at)
        VALUES (${JSON.stringify(archive)}, ${JSON.stringify(epoch)}, ${archive.rounds}, ${archive.archivedAt})`
      this.endJob()
    })
  }

  /** Rounds whose archives wait for the index, and since when. */
  waiting(): { rounds: number; since: number } {
    const [row] = this.#sql<{ rounds: number | null; since: number | null }>`
      SELECT sum(rounds) AS rounds, min(written_at) AS since FROM written WHERE is_indexed = 0`
    return { rounds: row?.rounds ?? 0, since: row?.since ?? 0 }
  }

  get run(): Run | null {
    return this.#storage.kv.get('run') ?? null
  }

  beginRun(): void {
    const [row] = this.#sql<{ entries: number | null; written: number | null }>`
      SELECT (SELECT max(position) FROM entries) AS entries, (SELECT max(position) FROM written) AS written`
    this.keepRun({ partition: 0, lastEntries: row?.entries ?? 0, lastWritten: row?.written ?? 0 })
  }

  keepRun(run: Run): void {
    this.#storage.kv.put('run', run)
  }

  /** How many bytes all entries of a run have. */
  bytesOf({ lastEntries }: Run): number {
    const [row] = this.#sql<{ bytes: number | null }>`
      SELECT sum(length(bytes)) AS bytes FROM entries WHERE position <= ${lastEntries}`
    return row?.bytes ?? 0
  }

  *entriesOf({ lastEntries }: Run): Generator<Uint8Array> {
    for (let last = 0; ; ) {
      const [row] = this.#sql<{ position: number; bytes: ArrayBuffer }>`
        SELECT position, bytes FROM entries WHERE position > ${last} AND position <= ${lastEntries} ORDER BY position LIMIT 1`
      if (row === undefined) return
      last = row.position
      yield new Uint8Array(row.bytes)
    }
  }

  endRun({ lastEntries, lastWritten }: Run): void {
    this.#storage.transactionSync(() => {
      this.#storage.kv.delete('run')
      this.#sql`DELETE FROM entries WHERE position <= ${lastEntries}`
      this.#sql`UPDATE written SET is_indexed = 1 WHERE position <= ${lastWritten}`
    })
  }

  /** The first archive whose ids are in the index. */
  indexed(): WrittenArchive | null {
    const [row] = this.#sql<{ position: number; archive: string; epoch: string }>`
      SELECT position, archive, epoch FROM written WHERE is_indexed = 1 ORDER BY position LIMIT 1`
    if (row === undefined) return null
    return {
      position: row.position,
      archive: JSON.parse(row.archive) as NewArchive,
      epoch: JSON.parse(row.epoch) as KeptEpoch,
    }
  }

  forget({ position }: WrittenArchive): void {
    this.#sql`DELETE FROM written WHERE position = ${position}`
  }
}
