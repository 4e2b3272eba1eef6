import { epochStart } from '../../protocol/committees/index.ts'
import { receiptWaitsUntil } from '../../protocol/earnings/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import type { RoundTerms } from '../round/round.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'
import { projectMigrations } from './migrations.ts'
import { Sequences } from './sequences.ts'
import {
  type EpochTerms,
  endOf,
  identityOf,
  isFitting,
  isSameTask,
  type RefusedTask,
  type RunningEpoch,
  type Submitted,
  type TakenTask,
  type TaskIdentity,
  type TaskRequest,
  waitsUntil,
} from './tasks.ts'

/** Most tasks of a project that wait, and that run. */
const queuedMax = 10_000
const openMax = 1_000
/** For so long a key names its task. */
const keySecs = 86_400
const purgePauseSecs = 3_600
/** Keys that name no task any more stay for an hour, so that new ones are written over them: over at most this many. */
const reusedKeysMax = 20_000
/** Rounds that are begun together, and waiting tasks that are given theirs. */
export const startsMax = 50
/**
 * The row of a task that is over stays this long: a queue that dies with its process, as that of a local network does, has by then delivered that
 * lists are to show its round, and a process that finds the row says so again. While tasks come, the next one is written over it. It is less than
 * the ten seconds after which the platform takes an object that rests out of memory.
 */
export const keptMs = 8_000
/** Rows beyond this many that nothing was written over are deleted. */
const keptMax = 50
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

/** The tasks of a project that wait or run. All is synchronous, and a decision is stored before anybody hears of it. */
export class TaskQueue {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  /** By the ids of their rounds. */
  readonly #open = new Map<string, OpenRound>()
  readonly #sequences: Sequences
  /** Tasks that are over and whose rows are still there, oldest first. To the next process they are open, and it ends them again. */
  readonly #leftOver: { readonly taskId: string; readonly endedMs: number }[] = []
  /** Keys that name no task any more. */
  #oldKeys: string[] = []
  #lastPosition = 0
  #lastTakenMs = 0
  #purgedAt = 0

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
    migrate(storage, projectMigrations)
    this.#sequences = new Sequences(storage)
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

  /** Why a task would not be taken now, before anything is kept of it; null if it would be. */
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
      // The version may have begun after the task was checked.
      const isTaken = epochTerms !== null && isFitting(request, epochTerms)
      const terms = isTaken ? this.#termsFor(projectId, request, epochTerms, now) : null
      const { taskId, idempotencyKey } = request
      const roundId = terms?.roundId ?? null
      this.#store({
        ...{ task_id: taskId, state: terms === null ? 'queued' : 'open', request: JSON.stringify(request) },
        ...{ epoch: running.epoch, created_at: now, waits_until: waitsUntil(running) },
        ...{ round_id: roundId, terms: terms && JSON.stringify(terms) },
      })
      if (idempotencyKey !== null)
        this.#storeKey({
          ...{ idempotency_key: idempotencyKey, task_id: taskId, round_id: roundId, created_at: now },
          request: JSON.stringify(identityOf(request)),
        })
      if (terms !== null) this.#openedBy(terms)
      return { status: terms === null ? 'queued' : 'running', taskId, roundId, createdAt: now }
    })
  }

  /** Gives waiting tasks their rounds, oldest first, as many as may run. @returns Those that the version of the epoch does not take. */
  schedule(projectId: string, terms: EpochTerms, now: number): string[] {
    return this.#storage.transactionSync(() => {
      const room = Math.min(openMax - this.#open.size, startsMax)
      const unfit = this.#rows('queued', room).flatMap(({ request: text, created_at: queuedAt }) => {
        const request = JSON.parse(text) as TaskRequest
        if (!isFitting(request, terms)) return request.taskId
        this.#schedule({ ...this.#termsFor(projectId, request, terms, now), queuedAt })
        return []
      })
      // Tasks that still wait wait for room, in the next epoch too. They may be thousands, and each row is written once.
      const waitsUntil = endOf(terms) + terms.epochSecs
      this.#sql`UPDATE tasks SET epoch = ${terms.epoch + 1}, waits_until = ${waitsUntil}
        WHERE state = 'queued' AND (epoch <> ${terms.epoch + 1} OR waits_until <> ${waitsUntil})`
      return unfit
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

  /** Rounds that were decided on and may not have begun, oldest first, as many as are begun together. */
  starting(): RoundTerms[] {
    return this.#unstarted()
      .slice(0, startsMax)
      .flatMap(({ taskId }) => this.termsOfStarting(taskId) ?? [])
  }

  /** How many of them there are. */
  get startingCount(): number {
    return this.#unstarted().length
  }

  #unstarted(): OpenRound[] {
    return [...this.#open.values()].filter(({ isStarted }) => !isStarted)
  }

  /** The terms of a task's round, as long as it may not have begun; otherwise null. */
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

  /** Its row is left for a while, and to the next task: that is a row less to write. */
  close(roundId: string): void {
    const open = this.#open.get(roundId)
    if (open === undefined) return
    this.#sequences.keep(open.epoch, open.seq)
    this.#open.delete(roundId)
    this.#leftOver.push({ taskId: open.taskId, endedMs: Date.now() })
    if (this.#isPast(this.#leftOver[keptMax])) this.clear()
  }

  /** Whether a task came a moment ago. */
  get isBusy(): boolean {
    return Date.now() - this.#lastTakenMs < keptMs
  }

  /** Whether rows of tasks that are over are still there. */
  get hasLeftOver(): boolean {
    return this.#leftOver.length > 0
  }

  /** Deletes what was left of tasks that are over for long enough, or of all that are over. */
  clear(which: 'past' | 'all' = 'past'): void {
    const kept = which === 'all' ? -1 : this.#leftOver.findIndex((one) => !this.#isPast(one))
    const taskIds = this.#leftOver.splice(0, kept < 0 ? Infinity : kept).map(({ taskId }) => taskId)
    if (taskIds.length > 0)
      this.#sql`DELETE FROM tasks WHERE task_id IN (SELECT value FROM json_each(${JSON.stringify(taskIds)}))`
  }

  #isPast(leftOver: { readonly endedMs: number } | undefined): boolean {
    return leftOver !== undefined && Date.now() - leftOver.endedMs >= keptMs
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
    const { next, skipped } = this.#sequences.of(epoch)
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

  /** The terms of a task that comes now; null if it has to wait, if only for those that came before it. */
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
    const leftOver = this.#isPast(this.#leftOver[0]) ? this.#leftOver.shift() : undefined
    if (leftOver === undefined)
      this.#sql`
        INSERT INTO tasks (task_id, position, state, request, epoch, created_at, round_id, terms, waits_until)
        VALUES (${task_id}, ${position}, ${state}, ${request}, ${epoch}, ${created_at}, ${round_id}, ${terms}, ${waits_until})`
    else
      this.#sql`
        UPDATE tasks SET task_id = ${task_id}, position = ${position}, state = ${state}, request = ${request}, epoch = ${epoch},
          created_at = ${created_at}, round_id = ${round_id}, terms = ${terms}, waits_until = ${waits_until}
        WHERE task_id = ${leftOver.taskId}`
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

  /** The terms of a task's round, with the next `seq` of the epoch. */
  #termsFor(projectId: string, request: TaskRequest, given: EpochTerms, now: number): RoundTerms {
    this.#sequences.passLost(given)
    const task: Task = {
      v: 1,
      project_id: projectId,
      consensus_hash: given.consensusHash,
      epoch: given.epoch,
      seq: this.#sequences.of(given.epoch).next,
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
    this.#sequences.given(open.epoch, open.seq)
  }

  #rows(state: 'queued' | 'untaken', limit: number): Row[] {
    const most = Math.max(0, limit)
    // In these words, by which the database knows the partial indexes.
    return state === 'queued'
      ? this.#sql`SELECT * FROM tasks WHERE state = 'queued' ORDER BY position LIMIT ${most}`
      : this.#sql`SELECT * FROM tasks WHERE state = 'untaken' ORDER BY position LIMIT ${most}`
  }
}
