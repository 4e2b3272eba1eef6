import { bytesToHex } from '../../protocol/encoding/index.ts'
import type { ArchiveStore, KeptEpoch, KeptRow, PlainRow, RoundRetention } from '../stores/archives.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import { type ArchiveFiles, archivePath } from './archive-files.ts'
import { emptyBytes, emptyMember, gunzip, gzip } from './gzip.ts'
import { encodeEntry, entriesIn, entryBytes, partitionOf, partitions } from './id-entries.ts'
import type { IdIndex } from './id-index.ts'
import type { ArchiveLedger, Job, Run, WrittenArchive } from './ledger.ts'
import { RunningSha256 } from './running-sha256.ts'

export interface ArchivistPorts {
  store: ArchiveStore
  files: ArchiveFiles
  idIndex: IdIndex
  roundFiles: Pick<RoundFiles, 'round'>
  /** How many rounds of an epoch are open, or not in the database yet. */
  openRounds(projectId: string, epoch: number): Promise<number>
  /** Network time. */
  now(): Promise<number>
  retention: RoundRetention
  limits?: Partial<ArchiveLimits>
}

/** How much each step does. */
export interface ArchiveLimits {
  /** Rounds that are read, and that are deleted, in one batch. */
  pageRounds: number
  deleteRounds: number
  /** The size of a part of an archive; the bucket takes 5 MiB at least. */
  partBytes: number
  partPages: number
  /** Rounds whose ids go into the index together. */
  runRounds: number
  /** Partitions of the index that a step adds to, and about how many entries: fewer partitions where a run has more. */
  runPartitions: number
  stepEntries: number
  /** How often an archive is tried before its epoch is left for later. */
  attempts: number
}

const defaultLimits: ArchiveLimits = {
  pageRounds: 200,
  deleteRounds: 500,
  partBytes: 8 * 1024 * 1024,
  partPages: 100,
  runRounds: 250_000,
  runPartitions: 256,
  stepEntries: 100_000,
  attempts: 5,
}

/** Ids go into the index once a day at least, since each time rewrites up to 4,096 files. */
const runPauseSecs = 86_400

interface Line {
  round: PlainRow &
    Record<'receipt_hash' | 'output_hash', string | null> & { round_id: string; issued_at: number }
  leases: readonly (PlainRow & { proof_id: string })[]
  /** The task, where it had to wait for its round. */
  task: (PlainRow & { task_id: string }) | null
}

/**
 * Brings rounds of old epochs into archives, the ids of these into the index, and then deletes the rows. Each step is bounded, and done again it
 * changes nothing: what it has done is noted last.
 */
export class Archivist {
  readonly #ledger: ArchiveLedger
  readonly #ports: ArchivistPorts
  readonly #limits: ArchiveLimits
  constructor(ledger: ArchiveLedger, ports: ArchivistPorts) {
    this.#ledger = ledger
    this.#ports = ports
    this.#limits = { ...defaultLimits, ...ports.limits }
  }

  /** @returns Whether there was anything to do. */
  async step(): Promise<boolean> {
    const ledger = this.#ledger
    if (ledger.run !== null) return this.#index(ledger.run)
    const indexed = ledger.indexed()
    if (indexed !== null) return this.#empty(indexed)
    if (ledger.job !== null) return this.#advance(ledger.job)
    const { rounds, since } = ledger.waiting()
    const enough = this.#limits.runRounds / (ledger.isFull ? 10 : 1)
    if (rounds < enough && (await this.#beginNext())) return true
    const now = await this.#ports.now()
    if (rounds === 0 || (rounds < enough && !ledger.isFull && now - since < runPauseSecs)) return false
    ledger.beginRun()
    return true
  }

  /** @returns Whether the look at the database goes on; one that came to its end begins again at the next call. */
  async #beginNext(): Promise<boolean> {
    const ledger = this.#ledger
    const [first] = ledger.due
    if (first !== undefined) {
      if (await this.#isOpen(first)) ledger.keepDue(ledger.due.slice(1), ledger.after, ledger.isFull)
      // A round may have ended since the look at the database; now that none is open, none will.
      else ledger.begin(await this.#ports.store.endedRounds(first))
      return true
    }
    const { after } = ledger
    if (after === 'end') {
      ledger.keepDue([], null, ledger.isFull)
      return false
    }
    const { store, retention } = this.#ports
    const { due, last, isFull } = await store.due(retention, after, await this.#ports.now())
    ledger.keepDue(due, last ?? 'end', isFull)
    return true
  }

  /** Rounds that are still on their way to the database would be missing in the archive. An epoch waits while its open rounds are unknown. */
  async #isOpen({ projectId, epoch }: KeptEpoch): Promise<boolean> {
    try {
      return (await this.#ports.openRounds(projectId, epoch)) > 0
    } catch (error) {
      console.error(`the epoch ${epoch} of ${projectId} waits: its open rounds are not known`, error)
      return true
    }
  }

  async #advance(job: Job): Promise<true> {
    try {
      if (job.stage === 'reading') await this.#read(job)
      else if (job.stage === 'completing') await this.#complete(job)
      else await this.#write(job)
      const next = this.#ledger.job
      if (next !== null && next.failures > 0) this.#ledger.keepJob({ ...next, failures: 0 })
    } catch (error) {
      const failed = this.#ledger.job ?? job
      if (failed.failures + 1 < this.#limits.attempts)
        this.#ledger.keepJob({ ...failed, failures: failed.failures + 1 })
      else this.#ledger.endJob()
      throw error
    }
    return true
  }

  /** Writes the next part. */
  async #write(job: Job): Promise<void> {
    const { files } = this.#ports
    const { epoch, written } = job
    const path = archivePath(epoch.projectId, epoch.epoch)
    const part = await this.#readPart(job)
    const rounds = written.rounds + (part?.rounds ?? 0)
    if (part === null) return this.#ledger.endJob()
    if (part.isLast && rounds !== epoch.rounds) {
      const name = `the epoch ${epoch.epoch} of ${epoch.projectId}`
      console.error(
        `${name} stays in the database: it has ${rounds} of ${epoch.rounds} rounds that were counted`,
      )
      await this.#ports.store.settle(epoch, 'stays')
      return this.#ledger.endJob()
    }
    const number = written.parts + 1
    const isWhole = part.isLast && number === 1
    let etag = ''
    let { uploadId } = job
    if (isWhole) await files.put(path, part.bytes)
    else {
      if (uploadId === null) {
        uploadId = await files.begin(path)
        this.#ledger.keepJob({ ...job, uploadId })
      }
      etag = await files.putPart(path, uploadId, number, part.bytes)
    }
    const { length } = part.bytes
    this.#ledger.addPart(
      { number, etag, bytes: length, rounds: part.rounds, members: part.members },
      {
        ...job,
        uploadId,
        after: part.after,
        stage: isWhole ? 'reading' : part.isLast ? 'completing' : 'writing',
        lastIssuedAt: Math.max(job.lastIssuedAt, part.lastIssuedAt),
        written: {
          parts: number,
          bytes: written.bytes + length,
          rounds,
          digest: RunningSha256.from(written.digest).update(part.bytes).state,
        },
      },
    )
  }

  /** The next part of an archive: as many pages as fit. Null if a round is not over, or rounds of the epoch have left. */
  async #readPart({ epoch, after: begins }: Job) {
    const { store } = this.#ports
    const { pageRounds, partBytes, partPages } = this.#limits
    const members: Uint8Array[] = []
    let after = begins
    let isLast = false
    let [bytes, rounds, lastIssuedAt] = [0, 0, 0]
    while (!isLast && members.length < partPages) {
      const page = await store.page(epoch, after, pageRounds)
      if (
        page === null ||
        page.rows.some(({ row: { state } }) => state !== 'finalized' && state !== 'failed')
      )
        return null
      const lines = await this.#lines(page.rows)
      const member = await gzip(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      if (bytes > 0 && bytes + member.length + emptyBytes > partBytes) break
      members.push(member)
      bytes += member.length
      rounds += lines.length
      lastIssuedAt = lines.reduce((last, { round }) => Math.max(last, round.issued_at), lastIssuedAt)
      isLast = page.next === null
      after = page.next
    }
    // All parts but the last have one size.
    if (!isLast) members.push(emptyMember(partBytes - bytes))
    const whole = new Uint8Array(await new Blob(members).arrayBuffer())
    return { bytes: whole, members: members.map(({ length }) => length), rounds, lastIssuedAt, after, isLast }
  }

  async #lines(rows: readonly KeptRow[]): Promise<Line[]> {
    const attached = await this.#ports.store.attached(await this.#withKeys(rows))
    const leases = Map.groupBy(attached.leases, ({ round_id }) => round_id)
    const tasks = new Map(attached.tasks.map((task) => [task.round_id, task]))
    return rows.map(({ row }) => ({
      round: row as unknown as Line['round'],
      leases: (leases.get(row.round_id) ?? []) as unknown as Line['leases'],
      task: (tasks.get(row.round_id) ?? null) as Line['task'],
    }))
  }

  /** Rows of a hub without archives do not say who their members were; their records do. */
  #withKeys(rows: readonly KeptRow[]) {
    return Promise.all(
      rows.map(async ({ row: { round_id: roundId }, leaseKeys }) => {
        if (leaseKeys !== null) return { roundId, leaseKeys }
        const { leases = [] } = (await this.#ports.roundFiles.round(roundId))?.published ?? {}
        return {
          roundId,
          leaseKeys: leases.map(({ owner, createdAt, position }) => [owner, createdAt, position] as const),
        }
      }),
    )
  }

  /** Joins the parts into one file. */
  async #complete(job: Job): Promise<void> {
    const { files } = this.#ports
    const { epoch, uploadId, written } = job
    const path = archivePath(epoch.projectId, epoch.epoch)
    try {
      await files.complete(path, uploadId as string, this.#ledger.etags())
    } catch (error) {
      // It may have been joined before, and nobody heard of it.
      if ((await files.size(path)) !== written.bytes) throw error
    }
    this.#ledger.keepJob({ ...job, stage: 'reading' })
  }

  /** Reads the next part back from the bucket: what is there counts, not what was written. */
  async #read(job: Job): Promise<void> {
    const { epoch, read, written } = job
    const part = this.#ledger.part(read.parts + 1)
    const range = { offset: read.bytes, length: part.bytes }
    const bytes = await this.#ports.files.bytes(archivePath(epoch.projectId, epoch.epoch), range)
    const entries: Uint8Array[] = []
    let rounds = 0
    let at = 0
    for (const length of part.members) {
      for (const line of (await gunzip(bytes.subarray(at, at + length))).split('\n')) {
        if (line === '') continue
        rounds += 1
        for (const entry of entriesOf(JSON.parse(line) as Line)) entries.push(entry)
      }
      at += length
    }
    const running = RunningSha256.from(read.digest).update(bytes)
    const passed = {
      parts: part.number,
      bytes: read.bytes + bytes.length,
      rounds: read.rounds + rounds,
      digest: running.state,
    }
    if (rounds !== part.rounds) throw new Error(`${rounds} of ${part.rounds} rounds are in the archive`)
    if (passed.parts === written.parts && passed.digest.join() !== (written.digest ?? []).join())
      throw new Error('the archive differs from what was written')
    const done = { ...job, read: passed }
    if (passed.parts < written.parts) return this.#ledger.keepRead(done, joined(entries))
    const archive = {
      projectId: epoch.projectId,
      epoch: epoch.epoch,
      rounds: passed.rounds,
      bytes: passed.bytes,
      sha256: bytesToHex(running.digest()).slice(2),
      lastIssuedAt: job.lastIssuedAt,
      archivedAt: await this.#ports.now(),
    }
    await this.#ports.store.settle(epoch, 'archived')
    this.#ledger.finishJob(archive, done, joined(entries))
  }

  /** Adds what waits to the next partitions of the index. */
  async #index(run: Run): Promise<true> {
    const { runPartitions, stepEntries } = this.#limits
    // Partitions have about as many, since most ids are hashes; all rounds of one receipt are in one.
    const bytes = this.#ledger.bytesOf(run)
    const fitting = Math.floor((partitions * stepEntries * entryBytes) / bytes)
    const end = run.partition + Math.min(runPartitions, Math.max(1, fitting))
    const own = new Uint8Array(Math.min(2 * stepEntries * entryBytes, bytes))
    let length = 0
    const add = () => this.#ports.idIndex.add(entriesIn(own.subarray(0, length)))
    for (const file of this.#ledger.entriesOf(run))
      for (const entry of entriesIn(file)) {
        const partition = partitionOf(entry)
        if (partition < run.partition || partition >= end) continue
        if (length === own.length) {
          await add()
          length = 0
        }
        own.set(entry, length)
        length += entryBytes
      }
    await add()
    if (end < partitions) this.#ledger.keepRun({ ...run, partition: end })
    else this.#ledger.endRun(run)
    return true
  }

  /** Deletes the next rows of an epoch that is in its archive. */
  async #empty(written: WrittenArchive): Promise<true> {
    const { store } = this.#ports
    const rows = await store.remaining(written.epoch, this.#limits.deleteRounds)
    if (rows.length > 0) await store.remove(written.archive, await this.#withKeys(rows))
    else this.#ledger.forget(written)
    return true
  }
}

/** The index entries of a round: its receipt, the proofs of its members, and its task if that has an id of its own. */
const entriesOf = ({ round, leases, task }: Line): Uint8Array[] =>
  [round.output_hash && round.receipt_hash, ...leases.map(({ proof_id }) => proof_id), task?.task_id]
    .filter((id): id is string => id != null)
    .map((id) => encodeEntry(id, round.round_id, round.issued_at))

function joined(entries: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(entries.length * entryBytes)
  for (const [i, entry] of entries.entries()) all.set(entry, i * entryBytes)
  return all
}
