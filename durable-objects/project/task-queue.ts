import { epochStart } from '../../protocol/committees/index.ts'
import { receiptWaitsUntil } from '../../protocol/earnings/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import type { CommitteeRules } from '../../protocol/manifest/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import type { RoundTerms } from '../round/round.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'
import { projectMigrations } from './migrations.ts'

/** A task as its project is asked to have it run; it was checked against the project before. */
export interface TaskRequest {
  /** The hub's own id. */
  taskId: string
  function: string
  gasLimit: number
  inputHash: string
  /** Base64, up to 4 KiB; null where the input is a file under its hash. */
  input: string | null
  /** Names the task of a caller that may ask for it again; it is the same for a day. */
  idempotencyKey: string | null
  /** Whether the project cannot pay a committee. */
  underfunded: boolean
}

/** What tasks of an epoch have in common, once its set is attested. */
export interface EpochTerms {
  epoch: number
  epochSecs: number
  setHash: string
  consensusHash: string
  moduleAddress: string
  rules: RoundTerms['rules'] & { committee: CommitteeRules }
}

/** The epoch of a time, and what holds in it while its set is attested. */
export interface RunningEpoch {
  epoch: number
  epochSecs: number
  terms: EpochTerms | null
  /** Whether it can have no set: nobody validated when its set was due. Its tasks wait for the next one. */
  isLost?: boolean
}

export type Submitted = TakenTask | RefusedTask

export interface TakenTask {
  status: 'running' | 'queued' | 'known'
  taskId: string
  roundId: string | null
  createdAt: number
}

/** Why a task is not taken: its key names another one, or as many wait or run as may. */
export type RefusedTask = { status: 'conflict' } | { status: 'full'; what: 'queued' | 'open' }

/** Most tasks of a project that wait, and that run. */
export const queuedMax = 10_000
export const openMax = 1_000
/** When the hub went on from a backup, in Unix seconds. */
export const resumedAtKey = 'resumed_at'
/** More than an object gives in a second; those of the longest epoch, a day, stay below 2³², which a task allows. */
const seqsPerSec = 10_000
/** For so long a key names its task. */
const keySecs = 86_400
const purgePauseSecs = 3_600
/** Keys that name no task any more stay for an hour, so that new ones are written over them: over so many. */
const reusedKeysMax = 20_000
const startsMax = 50
/** While tasks come, the row of one that is over waits so long for one to be written over it. */
const reusedSecs = 4
/** Tasks that waited in vain and are ended together, in one trip to the database. */
const expiredMax = 500

/** `open` from the moment it has its round until that is over; `untaken` until everybody can read that it ended. */
type TaskState = 'queued' | 'open' | 'untaken'

interface Row {
  task_id: string
  state: TaskState
  request: string
  created_at: number
  round_id: string | null
  terms: string | null
}

interface NewRow extends Row {
  epoch: number
  waits_until: number
}

interface KeyRow {
  idempotency_key: string
  task_id: string
  request: string
  round_id: string | null
  created_at: number
}

interface OpenRound {
  taskId: string
  epoch: number
  seq: number
  /** Whether the object of its round has it, as far as this process knows. */
  isStarted: boolean
}

/** The next `seq` of an epoch, and what is stored of it: less, while tasks with later ones are stored. Some were left out. */
interface Sequence {
  readonly next: number
  readonly stored: number
  readonly skipped: number
}

/** The tasks of a project that wait or run. All is synchronous, and a decision is stored before anybody hears of it. */
export class TaskQueue {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  /** By the ids of their rounds. */
  readonly #open = new Map<string, OpenRound>()
  /** By epochs. */
  readonly #sequences = new Map<number, Sequence>()
  /** Tasks that are over and whose rows are still there: to a process that ends before they are used they are open, and it ends them again. */
  readonly #leftOver: string[] = []
  /** Keys that name no task any more. */
  #oldKeys: string[] = []
  #lastPosition = 0
  #lastTakenMs = 0
  #purgedAt = 0
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
    migrate(storage, projectMigrations)
    for (const { task_id: taskId, round_id: roundId, epoch, position, seq } of this.#sql<{
      task_id: string
      round_id: string | null
      epoch: number
      position: number
      seq: number
    }>`
      SELECT task_id, round_id, epoch, position, terms ->> '$.task.seq' AS seq FROM tasks ORDER BY position`) {
      this.#lastPosition = position
      if (roundId !== null) this.#opened(roundId, { taskId, epoch, seq, isStarted: false })
    }
  }

  /** Why a task would not be taken now, before anything is kept of it; null where it would be. */
  refusal(request: TaskRequest, running: RunningEpoch, now: number): RefusedTask | null {
    const known = this.#find(request, now)
    if (known !== null) return known.status === 'conflict' ? known : null
    return this.#findFull(this.#termsNow(running))
  }

  /** Takes a task: it gets its round at once, or waits. The same again changes nothing. */
  submit(projectId: string, request: TaskRequest, running: RunningEpoch, now: number): Submitted {
    return this.#storage.transactionSync(() => {
      const known = this.#find(request, now)
      if (known !== null) return known
      const epochTerms = this.#termsNow(running)
      const full = this.#findFull(epochTerms)
      if (full !== null) return full
      const terms = epochTerms && this.#termsFor(projectId, request, epochTerms, now)
      const { taskId, idempotencyKey } = request
      const roundId = terms?.roundId ?? null
      this.#store({
        ...{ task_id: taskId, state: terms === null ? 'queued' : 'open', request: JSON.stringify(request) },
        ...{ epoch: running.epoch, created_at: now, waits_until: waitsUntil(running) },
        ...{ round_id: roundId, terms: terms && JSON.stringify(terms) },
      })
      if (idempotencyKey !== null)
        this.#storeKey({
          ...{
            idempotency_key: idempotencyKey,
            task_id: taskId,
            request: JSON.stringify(identityOf(request)),
          },
          ...{ round_id: roundId, created_at: now },
        })
      if (terms !== null) this.#openedBy(terms)
      return { status: terms === null ? 'queued' : 'running', taskId, roundId, createdAt: now }
    })
  }

  /** Gives waiting tasks their rounds, oldest first, as many as may run. */
  schedule(projectId: string, terms: EpochTerms, now: number): void {
    this.#storage.transactionSync(() => {
      // What then still waits, waits for room, in the next epoch too.
      const waitsUntil = endOf(terms) + terms.epochSecs
      this
        .#sql`UPDATE tasks SET epoch = ${terms.epoch + 1}, waits_until = ${waitsUntil} WHERE state = 'queued'`
      const room = Math.min(openMax - this.#open.size, startsMax)
      for (const { request, created_at: queuedAt } of this.#rows('queued', room)) {
        const begun = this.#termsFor(projectId, JSON.parse(request) as TaskRequest, terms, now)
        this.#schedule({ ...begun, queuedAt })
      }
    })
  }

  /** Tasks that waited for the set of an epoch that is over, oldest first, as many as are ended together. */
  expired({ epoch, epochSecs }: RunningEpoch): string[] {
    const rows = this.#sql<Row>`
      SELECT * FROM tasks WHERE state = 'queued' AND waits_until <= ${epochStart(epoch, epochSecs)}
      ORDER BY position LIMIT ${expiredMax}`
    return rows.map(({ task_id }) => task_id)
  }

  /** Forgets tasks that ended without a round. */
  drop(taskIds: readonly string[]): void {
    for (const taskId of taskIds) this.#sql`DELETE FROM tasks WHERE task_id = ${taskId} AND state <> 'open'`
  }

  /** Takes no task after all, and forgets its key; one that has its round by now stays. */
  takeBack(taskId: string): void {
    const [row] = this.#sql<Row>`
      UPDATE tasks SET state = 'untaken' WHERE task_id = ${taskId} AND state = 'queued' RETURNING *`
    if (row === undefined) return
    const { idempotencyKey } = JSON.parse(row.request) as TaskRequest
    this.#sql`DELETE FROM keys WHERE idempotency_key = ${idempotencyKey} AND task_id = ${taskId}`
  }

  /** Tasks that were taken back, as many as are ended together. */
  untaken(): string[] {
    return this.#rows('untaken', expiredMax).map(({ task_id }) => task_id)
  }

  /** Rounds that were decided on and may not have begun. */
  starting(): RoundTerms[] {
    const waiting = [...this.#open.values()].filter(({ isStarted }) => !isStarted)
    return waiting.slice(0, startsMax).flatMap(({ taskId }) => this.termsOfStarting(taskId) ?? [])
  }

  get isStarting(): boolean {
    return [...this.#open.values()].some(({ isStarted }) => !isStarted)
  }

  /** What the round of a task begins with, as long as it may not have begun. */
  termsOfStarting(taskId: string): RoundTerms | null {
    const [row] = this.#sql<Row>`SELECT * FROM tasks WHERE task_id = ${taskId} AND state = 'open'`
    const open = this.#open.get(row?.round_id ?? '')
    if (row === undefined || open === undefined || open.isStarted) return null
    return JSON.parse(row.terms ?? '') as RoundTerms
  }

  /** It is stored nowhere: a process that does not know it begins the round again, which changes nothing. */
  started(roundId: string): void {
    const open = this.#open.get(roundId)
    if (open !== undefined) open.isStarted = true
  }

  isOpen(roundId: string): boolean {
    return this.#open.has(roundId)
  }

  /** While others come, its row is left to the next one: that is a row less to write. */
  close(roundId: string): void {
    const open = this.#open.get(roundId)
    if (open === undefined) return
    this.#keepSeq(open)
    this.#open.delete(roundId)
    this.#leftOver.push(open.taskId)
    if (!this.isBusy || this.#leftOver.length > startsMax) this.clear()
  }

  /** Whether a task came a moment ago. */
  get isBusy(): boolean {
    return Date.now() - this.#lastTakenMs < reusedSecs * 1_000
  }

  /** Deletes what is left of tasks that are over. */
  clear(): void {
    const taskIds = this.#leftOver.splice(0)
    if (taskIds.length > 0)
      this.#sql`DELETE FROM tasks WHERE task_id IN (SELECT value FROM json_each(${JSON.stringify(taskIds)}))`
  }

  /** The round of a task, null while it waits; undefined for one that neither waits nor runs. */
  roundOf(taskId: string): string | null | undefined {
    const [row] = this.#sql<Row>`SELECT * FROM tasks WHERE task_id = ${taskId} AND state <> 'untaken'`
    return row?.round_id
  }

  count(state: 'queued' | 'untaken'): number {
    const [row] =
      state === 'queued'
        ? this.#sql<{ n: number }>`SELECT count(*) AS n FROM tasks WHERE state = 'queued'`
        : this.#sql<{ n: number }>`SELECT count(*) AS n FROM tasks WHERE state = 'untaken'`
    return row!.n
  }

  /** How many rounds were given a `seq` of an epoch, and how many of them are not over. */
  openRounds(epoch: number): { given: number; open: number } {
    const { next, skipped } = this.#sequence(epoch)
    const open = [...this.#open.values()].filter((round) => round.epoch === epoch)
    return { given: next - skipped, open: open.length }
  }

  /** Forgets keys that have named no task for a while. It reads all of them, so it does that once in a while. */
  purge(now: number): void {
    if (now - this.#purgedAt < purgePauseSecs) return
    this.#purgedAt = now
    const before = now - keySecs
    this.#sql`DELETE FROM keys WHERE created_at <= ${before - purgePauseSecs}`
    const old = this.#sql<Pick<KeyRow, 'idempotency_key'>>`
      SELECT idempotency_key FROM keys WHERE created_at <= ${before} LIMIT ${reusedKeysMax}`
    this.#oldKeys = old.map((row) => row.idempotency_key)
  }

  /** What a task that comes now would run by; null where it has to wait, if only for those that came before it. */
  #termsNow({ terms }: RunningEpoch): EpochTerms | null {
    return this.count('queued') > 0 ? null : terms
  }

  #findFull(terms: EpochTerms | null): RefusedTask | null {
    if (terms === null) return this.count('queued') >= queuedMax ? { status: 'full', what: 'queued' } : null
    return this.#open.size >= openMax ? { status: 'full', what: 'open' } : null
  }

  #find(request: TaskRequest, now: number): TakenTask | { status: 'conflict' } | null {
    const { taskId, idempotencyKey } = request
    this.#sql`DELETE FROM keys WHERE idempotency_key = ${idempotencyKey} AND created_at <= ${now - keySecs}`
    const [row] = this.#sql<Pick<Row, 'task_id' | 'request' | 'round_id' | 'created_at'>>`
      SELECT task_id, request, round_id, created_at FROM tasks WHERE task_id = ${taskId}
      UNION ALL SELECT task_id, request, round_id, created_at FROM keys WHERE idempotency_key = ${idempotencyKey}`
    if (row === undefined) return null
    if (!isSameTask(JSON.parse(row.request) as TaskIdentity, request)) return { status: 'conflict' }
    return { status: 'known', taskId: row.task_id, roundId: row.round_id, createdAt: row.created_at }
  }

  /** Writes it over one that is over, or adds a row. */
  #store({ task_id, state, request, epoch, created_at, round_id, terms, waits_until }: NewRow): void {
    this.#lastPosition += 1
    this.#lastTakenMs = Date.now()
    const position = this.#lastPosition
    const leftOver = this.#leftOver.pop()
    if (leftOver === undefined)
      this.#sql`
        INSERT INTO tasks (task_id, position, state, request, epoch, created_at, round_id, terms, waits_until)
        VALUES (${task_id}, ${position}, ${state}, ${request}, ${epoch}, ${created_at}, ${round_id}, ${terms}, ${waits_until})`
    else
      this.#sql`
        UPDATE tasks SET task_id = ${task_id}, position = ${position}, state = ${state}, request = ${request}, epoch = ${epoch},
          created_at = ${created_at}, round_id = ${round_id}, terms = ${terms}, waits_until = ${waits_until}
        WHERE task_id = ${leftOver}`
  }

  /** Writes it over one that names no task any more, or adds a row. */
  #storeKey({ idempotency_key: key, task_id, request, round_id, created_at }: KeyRow): void {
    const old = this.#oldKeys.pop() ?? null
    // It may name a task again.
    const written = this.#sql`
      UPDATE keys SET idempotency_key = ${key}, task_id = ${task_id}, request = ${request}, round_id = ${round_id},
        created_at = ${created_at}
      WHERE idempotency_key = ${old} AND created_at <= ${created_at - keySecs} RETURNING 1`
    if (written.length === 0)
      this.#sql`
        INSERT INTO keys (idempotency_key, task_id, request, round_id, created_at)
        VALUES (${key}, ${task_id}, ${request}, ${round_id}, ${created_at})`
  }

  /** What the round of a task begins with, and with it the next `seq` of the epoch. */
  #termsFor(projectId: string, request: TaskRequest, given: EpochTerms, now: number): RoundTerms {
    this.#passLost(given)
    const task: Task = {
      v: 1,
      project_id: projectId,
      consensus_hash: given.consensusHash,
      epoch: given.epoch,
      seq: this.#sequence(given.epoch).next,
      set_hash: given.setHash,
      module_address: given.moduleAddress,
      function: request.function,
      input_hash: request.inputHash,
      gas_limit: request.gasLimit,
      issued_at: now,
    }
    return {
      roundId: deriveTaskRoundId(task),
      taskId: request.taskId,
      task,
      input: request.input,
      rules: given.rules,
      underfunded: request.underfunded,
      paidUntil: receiptWaitsUntil(given.epoch, {
        epoch_secs: given.epochSecs,
        round_secs: given.rules.roundSecs,
      }),
      startedAtMs: Date.now(),
    }
  }

  #schedule(terms: RoundTerms): void {
    const { task, roundId, taskId } = terms
    this.#sql`
      UPDATE tasks SET state = 'open', epoch = ${task.epoch}, round_id = ${roundId}, terms = ${JSON.stringify(terms)}
      WHERE task_id = ${taskId}`
    const [row] = this.#sql<Row>`SELECT * FROM tasks WHERE task_id = ${taskId}`
    const { idempotencyKey } = JSON.parse(row!.request) as TaskRequest
    this.#sql`UPDATE keys SET round_id = ${roundId} WHERE idempotency_key = ${idempotencyKey}`
    this.#openedBy(terms)
  }

  #openedBy({ roundId, taskId, task: { epoch, seq } }: RoundTerms): void {
    this.#opened(roundId, { taskId, epoch, seq, isStarted: false })
  }

  #opened(roundId: string, open: OpenRound): void {
    this.#open.set(roundId, open)
    const sequence = this.#sequence(open.epoch)
    this.#sequences.set(open.epoch, { ...sequence, next: Math.max(sequence.next, open.seq + 1) })
  }

  #sequence(epoch: number): Sequence {
    const known = this.#sequences.get(epoch)
    if (known !== undefined) return known
    const [row] = this.#sql<{ next: number; skipped: number }>`
      SELECT next, skipped FROM stored_sequences WHERE epoch = ${epoch}`
    const { next, skipped } = row ?? { next: 0, skipped: 0 }
    const sequence = { next, stored: next, skipped }
    this.#sequences.set(epoch, sequence)
    return sequence
  }

  /** In an epoch that began before a restore, nobody gets a `seq` that a task which was lost may have had, however often it is restored. */
  #passLost({ epoch, epochSecs }: EpochTerms): void {
    const resumedAt = this.#storage.kv.get<number>(resumedAtKey) ?? -1
    const { next, skipped } = this.#sequence(epoch)
    const free = (resumedAt + 1 - epochStart(epoch, epochSecs)) * seqsPerSec
    if (next >= free) return
    this.#storeSequence(epoch, { next: free, stored: free, skipped: skipped + free - next })
  }

  /** No other task gets the `seq` of one that is forgotten. What is stored serves for all that were given by then. */
  #keepSeq({ epoch, seq }: OpenRound): void {
    const { next, stored, skipped } = this.#sequence(epoch)
    if (seq >= stored) this.#storeSequence(epoch, { next, stored: next, skipped })
  }

  #storeSequence(epoch: number, sequence: Sequence): void {
    const { next, skipped } = sequence
    this.#sql`
      INSERT OR REPLACE INTO stored_sequences (epoch, next, skipped) VALUES (${epoch}, ${next}, ${skipped})`
    this.#sequences.set(epoch, sequence)
  }

  #rows(state: 'queued' | 'untaken', limit: number): Row[] {
    const most = Math.max(0, limit)
    // In these words, by which the database knows the partial indexes.
    return state === 'queued'
      ? this.#sql`SELECT * FROM tasks WHERE state = 'queued' ORDER BY position LIMIT ${most}`
      : this.#sql`SELECT * FROM tasks WHERE state = 'untaken' ORDER BY position LIMIT ${most}`
  }
}

const endOf = ({ epoch, epochSecs }: Pick<RunningEpoch, 'epoch' | 'epochSecs'>): number =>
  epochStart(epoch + 1, epochSecs)

/** When tasks that come in an epoch have waited in vain. */
export const waitsUntil = (running: Pick<RunningEpoch, 'epoch' | 'epochSecs' | 'isLost'>): number =>
  endOf(running) + (running.isLost ? running.epochSecs : 0)

/** What tells a task from another one. */
type TaskIdentity = Pick<TaskRequest, 'function' | 'gasLimit' | 'inputHash'>

const identityOf = ({ function: name, gasLimit, inputHash }: TaskRequest): TaskIdentity => ({
  ...{ function: name, gasLimit, inputHash },
})

const isSameTask = (one: TaskIdentity, other: TaskIdentity): boolean =>
  one.function === other.function && one.gasLimit === other.gasLimit && one.inputHash === other.inputHash
