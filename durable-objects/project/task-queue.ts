import { epochStart } from '../../protocol/committees/index.ts'
import { receiptWaitsUntil } from '../../protocol/earnings/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import type { CommitteeRules } from '../../protocol/manifest/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import type { RoundTerms } from '../round/round.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { migrate } from '../sql-migrations.ts'

/** A task as its project is asked to have it run; it was held against the project before. */
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
/** For so long a key names its task. */
const keySecs = 86_400
const startsMax = 50
/** Tasks that waited in vain and are ended together, in one trip to the database. */
const expiredMax = 500

const migrations = [
  `
  CREATE TABLE tasks (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT UNIQUE,
    state TEXT NOT NULL,
    request TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    -- The end of its wait, in network time: after a change of the epoch length, numbers of epochs cannot be compared.
    waits_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    seq INTEGER,
    round_id TEXT UNIQUE,
    terms TEXT
  );
  -- One seq for each task of an epoch, whatever order they come in.
  CREATE UNIQUE INDEX tasks_by_seq ON tasks (epoch, seq) WHERE seq IS NOT NULL;
  CREATE INDEX tasks_by_state ON tasks (state, position);
  CREATE TABLE sequences (epoch INTEGER PRIMARY KEY, next INTEGER NOT NULL);
  `,
]

/** `starting` until the object of its round has it; `over` is kept only for the key; `untaken` until everybody can read that it ended. */
type TaskState = 'queued' | 'starting' | 'running' | 'over' | 'untaken'

interface Row {
  task_id: string
  state: TaskState
  request: string
  epoch: number
  created_at: number
  round_id: string | null
  terms: string | null
}

/** The tasks of a project that wait or run. All is synchronous, and a decision is stored before anybody hears of it. */
export class TaskQueue {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
    migrate(storage, migrations)
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
      const state: TaskState = terms === null ? 'queued' : 'starting'
      this.#sql`
        INSERT INTO tasks (task_id, idempotency_key, state, request, epoch, created_at, seq, round_id, terms, waits_until)
        VALUES (${taskId}, ${idempotencyKey}, ${state}, ${JSON.stringify(request)}, ${running.epoch}, ${now},
          ${terms?.task.seq ?? null}, ${roundId}, ${terms && JSON.stringify(terms)}, ${endOf(running)})`
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
      const room = Math.min(openMax - this.count('starting', 'running'), startsMax)
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

  drop(taskIds: readonly string[]): void {
    for (const taskId of taskIds) this.#end('task_id', taskId)
  }

  /** Takes no task after all, and forgets its key; one that has its round by now stays. */
  takeBack(taskId: string): void {
    this.#sql`
      UPDATE tasks SET state = 'untaken', idempotency_key = NULL WHERE task_id = ${taskId} AND state = 'queued'`
  }

  /** Tasks that were taken back, as many as are ended together. */
  untaken(): string[] {
    return this.#rows('untaken', expiredMax).map(({ task_id }) => task_id)
  }

  /** Rounds that were decided on and may not have begun. */
  starting(): RoundTerms[] {
    return this.#rows('starting', startsMax).map(({ terms }) => JSON.parse(terms ?? '') as RoundTerms)
  }

  /** What a round begins with, as long as it may not have begun. */
  termsOfStarting(roundId: string): RoundTerms | null {
    const [row] = this.#sql<Row>`SELECT * FROM tasks WHERE round_id = ${roundId} AND state = 'starting'`
    return row === undefined ? null : (JSON.parse(row.terms ?? '') as RoundTerms)
  }

  started(roundId: string): void {
    this.#sql`UPDATE tasks SET state = 'running' WHERE round_id = ${roundId} AND state = 'starting'`
  }

  close(roundId: string): void {
    this.#end('round_id', roundId)
  }

  /** The round of a task, null while it waits; undefined for one that neither waits nor runs. */
  roundOf(taskId: string): string | null | undefined {
    const [row] = this.#sql<Row>`
      SELECT * FROM tasks WHERE task_id = ${taskId} AND state NOT IN ('over', 'untaken')`
    return row?.round_id
  }

  count(...states: readonly TaskState[]): number {
    const [row] = this.#sql<{ n: number }>`
      SELECT count(*) AS n FROM tasks WHERE state IN (SELECT value FROM json_each(${JSON.stringify(states)}))`
    return row!.n
  }

  /** How many rounds were given a `seq` of an epoch, and how many of them are not over. */
  openRounds(epoch: number): { given: number; open: number } {
    const [row] = this.#sql<{ given: number | null; open: number }>`
      SELECT (SELECT next FROM sequences WHERE epoch = ${epoch}) AS given, count(*) AS open FROM tasks
      WHERE epoch = ${epoch} AND seq IS NOT NULL AND state IN ('starting', 'running')`
    return { given: row?.given ?? 0, open: row?.open ?? 0 }
  }

  purge(now: number): void {
    this.#sql`DELETE FROM tasks WHERE state = 'over' AND created_at <= ${now - keySecs}`
  }

  /** What a task that comes now would run by; null where it has to wait, if only for those that came before it. */
  #termsNow({ terms }: RunningEpoch): EpochTerms | null {
    return this.count('queued') > 0 ? null : terms
  }

  #findFull(terms: EpochTerms | null): RefusedTask | null {
    if (terms === null) return this.count('queued') >= queuedMax ? { status: 'full', what: 'queued' } : null
    return this.count('starting', 'running') >= openMax ? { status: 'full', what: 'open' } : null
  }

  #find(request: TaskRequest, now: number): TakenTask | { status: 'conflict' } | null {
    const { taskId, idempotencyKey } = request
    this.#sql`
      UPDATE tasks SET idempotency_key = NULL
      WHERE idempotency_key = ${idempotencyKey} AND created_at <= ${now - keySecs}`
    const [row] = this.#sql<Row>`
      SELECT * FROM tasks WHERE task_id = ${taskId} OR idempotency_key = ${idempotencyKey}`
    if (row === undefined) return null
    if (!isSameTask(JSON.parse(row.request) as TaskRequest, request)) return { status: 'conflict' }
    return { status: 'known', taskId: row.task_id, roundId: row.round_id, createdAt: row.created_at }
  }

  /** What the round of a task begins with, and with it the next `seq` of the epoch. */
  #termsFor(projectId: string, request: TaskRequest, given: EpochTerms, now: number): RoundTerms {
    const task: Task = {
      v: 1,
      project_id: projectId,
      consensus_hash: given.consensusHash,
      epoch: given.epoch,
      seq: this.#nextSeq(given.epoch),
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
      UPDATE tasks SET state = 'starting', epoch = ${task.epoch}, seq = ${task.seq}, round_id = ${roundId},
        terms = ${JSON.stringify(terms)} WHERE task_id = ${taskId}`
  }

  #nextSeq(epoch: number): number {
    const [row] = this.#sql<{ next: number }>`
      INSERT INTO sequences (epoch, next) VALUES (${epoch}, 1)
      ON CONFLICT (epoch) DO UPDATE SET next = next + 1 RETURNING next`
    return row!.next - 1
  }

  /** Only what has a key is kept, for as long as the key names it. */
  #end(column: 'task_id' | 'round_id', id: string): void {
    this.#storage.sql.exec(`DELETE FROM tasks WHERE ${column} = ? AND idempotency_key IS NULL`, id)
    this.#storage.sql.exec(`UPDATE tasks SET state = 'over', terms = NULL WHERE ${column} = ?`, id)
  }

  #rows(state: TaskState, limit: number): Row[] {
    return this.#sql`
      SELECT * FROM tasks WHERE state = ${state} ORDER BY position LIMIT ${Math.max(0, limit)}`
  }
}

const endOf = ({ epoch, epochSecs }: Pick<RunningEpoch, 'epoch' | 'epochSecs'>): number =>
  epochStart(epoch + 1, epochSecs)

const isSameTask = (one: TaskRequest, other: TaskRequest): boolean =>
  one.function === other.function && one.gasLimit === other.gasLimit && one.inputHash === other.inputHash
