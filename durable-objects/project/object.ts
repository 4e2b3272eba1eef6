import { DurableObject } from 'cloudflare:workers'
import { epochAt } from '../../protocol/committees/index.ts'
import { Alarm } from '../alarm.ts'
import type { RoundTerms } from '../round/round.ts'
import {
  type RefusedTask,
  type RunningEpoch,
  type Submitted,
  type TakenTask,
  TaskQueue,
  type TaskRequest,
} from './task-queue.ts'

/** Where the sets of a project stand. */
export interface CommitteesProgress {
  /** Sets of epochs that run or are about to, and that no quorum has attested. */
  open: number
  /** Seconds until the next set is due. */
  nextInSecs: number
}

export interface CommitteesConfig {
  /**
   * Builds the sets that are due and asks validators to attest them. It may fail, or be repeated, at any point.
   *
   * @returns Null for a project that has no committees, such as one that is not listed.
   */
  advance(projectId: string): Promise<CommitteesProgress | null>
  /** Network time may leap ahead of the machine's where it follows a chain: it is read this often then. */
  pollMs: number | null
  /** Network time. */
  now(): Promise<number>
  /** The epoch of a time; null for a project that has no committees. */
  runningEpoch(projectId: string, now: number): Promise<RunningEpoch | null>
  /** Begins a round, once. */
  startRound(terms: RoundTerms): Promise<void>
  /** Notes for everybody that a task waits, or that it waited in vain. */
  noteQueued(projectId: string, request: TaskRequest, createdAt: number): Promise<void>
  noteExpired(taskIds: readonly string[]): Promise<void>
}

/** While tasks wait, what they wait for is looked for this often. */
const queuePauseMs = 5_000
const firstPauseMs = 5_000
const longestPauseMs = 300_000
/** Alarms come this often at least, so that one that was set by a wrong clock does no harm. */
const restMs = 3_600_000

/** How long to wait before the next attempt, after so many that left a set open: 5, 10, 20 … 300 s. */
export const retryPauseMs = (attempts: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(16, attempts - 1))

/**
 * Sees to the committee sets of one project, and gives each of its tasks a place: `env.PROJECT_COMMITTEES.getByName('<project
 * id>')`. Its alarm comes when the set of the next epoch is due, and again, with growing pauses, until a quorum of the
 * validators has attested it.
 *
 * Of sets it holds only how often it tried, and when the next is due where time leaps: they and their attestations lie in the
 * database, whose keys decide between alarms that run twice. Of tasks it holds those that wait or run, and which `seq` is the
 * next.
 */
export class ProjectCommitteesObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: CommitteesConfig | null
  readonly #alarm: Alarm
  readonly #tasks: TaskQueue
  /** With its terms once there are some: they hold for the whole epoch. */
  #running: RunningEpoch | null = null
  readonly #waiting = new Set<{ taskId: string; resolve: () => void }>()
  readonly #starting = new Map<string, Promise<void>>()

  constructor(ctx: DurableObjectState, env: Env, config: CommitteesConfig | null) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
    this.#tasks = new TaskQueue(ctx.storage)
  }

  /** Begins, or goes on after an alarm was lost. */
  async wake(projectId: string): Promise<void> {
    if (this.#config === null) return
    this.#keepProjectId(projectId)
    await this.#alarm.revive(Date.now())
  }

  /** Looks at its sets at once, whenever the next is due: those of running epochs may have lost their quorum. */
  async lookAgain(projectId: string): Promise<void> {
    if (this.#config === null) return
    this.#keepProjectId(projectId)
    this.ctx.storage.kv.delete('due_at')
    this.#running = null
    await this.#alarmWithin(0)
  }

  /** Why a task would not be taken now; null where it would be. `none` for a project that has no committees. */
  async refusal(projectId: string, request: TaskRequest): Promise<RefusedTask | { status: 'none' } | null> {
    if (this.#config === null) return { status: 'none' }
    const now = await this.#config.now()
    const running = await this.#runningEpoch(this.#config, projectId, now)
    return running === null ? { status: 'none' } : this.#tasks.refusal(request, running, now)
  }

  /** Takes a task. `none` for a project that has no committees. */
  async submit(projectId: string, request: TaskRequest): Promise<Submitted | { status: 'none' }> {
    if (this.#config === null) return { status: 'none' }
    this.#keepProjectId(projectId)
    // Epoch and `issued_at` are of one moment: a task belongs to one epoch, however long the rest takes.
    const now = await this.#config.now()
    const running = await this.#runningEpoch(this.#config, projectId, now)
    if (running === null) return { status: 'none' }
    const submitted = this.#tasks.submit(projectId, request, running, now)
    if (submitted.status === 'conflict' || submitted.status === 'full') return submitted
    await this.#alarmWithin(queuePauseMs)
    // A caller that gets the id of a task can read its round, also when another request has just submitted the task.
    if (submitted.roundId !== null) await this.#begun(this.#config, submitted.roundId)
    else await this.#noteQueued(this.#config, projectId, request, submitted)
    return submitted
  }

  /** Looks at once for what tasks wait for: a set was attested. */
  async nudge(): Promise<void> {
    if (this.#tasks.count('queued') > 0) await this.#alarmWithin(0)
  }

  /** Waits until a task has its round, or waited in vain; the round, or null. */
  async waitForRound(taskId: string, ms: number): Promise<string | null> {
    const known = this.#tasks.roundOf(taskId)
    if (known !== null) return known ?? null
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { taskId, resolve }
    this.#waiting.add(waiter)
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(waiter)
    return this.#tasks.roundOf(taskId) ?? null
  }

  /** Rounds of an epoch that are not over as far as this object was told. */
  async openRounds(epoch: number): Promise<string[]> {
    return this.#tasks.openRounds(epoch)
  }

  /** A round of this project is over. */
  async closeRound(roundId: string): Promise<void> {
    this.#tasks.close(roundId)
    if (this.#tasks.count('queued') > 0) await this.#alarmWithin(0)
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    const projectId = this.ctx.storage.kv.get<string>('project_id')
    const config = this.#config
    if (config === null || projectId === undefined) return
    const setsMs = await this.#moveSets(config, projectId)
    await this.#moveTasks(config, projectId).catch((error) =>
      console.error(`the tasks of ${projectId} could not be brought forward`, error),
    )
    const isAwaited = (['queued', 'starting', 'untaken'] as const).some(
      (state) => this.#tasks.count(state) > 0,
    )
    const nextMs = Math.min(setsMs, isAwaited ? queuePauseMs : Infinity)
    if (nextMs < Infinity) await this.#alarmWithin(nextMs)
  }

  /** Builds the sets that are due and has them attested. @returns When that is looked at again, in milliseconds. */
  async #moveSets(config: CommitteesConfig, projectId: string): Promise<number> {
    const { kv } = this.ctx.storage
    const { pollMs } = config
    // A clock that cannot be read is read again.
    const now = pollMs === null ? 0 : await config.now().catch(() => 0)
    if (pollMs !== null && now < (kv.get<number>('due_at') ?? 0)) return pollMs
    const progress = await this.#advance(config, projectId)
    if (progress !== null) return this.#pauseMs(config, progress, now)
    for (const key of ['attempts', 'due_at']) kv.delete(key)
    return Infinity
  }

  /** Gives waiting tasks their rounds, ends those that waited in vain, and begins what was decided on. */
  async #moveTasks(config: CommitteesConfig, projectId: string): Promise<void> {
    const now = await config.now()
    this.#tasks.purge(now)
    await this.#endAll(config, () => this.#tasks.untaken())
    if (this.#tasks.count('queued') > 0) {
      const running = await this.#runningEpoch(config, projectId, now)
      if (running !== null) await this.#moveQueue(config, projectId, running, now)
    }
    await this.#startRounds(config)
  }

  async #moveQueue(
    config: CommitteesConfig,
    projectId: string,
    running: RunningEpoch,
    now: number,
  ): Promise<void> {
    await this.#endExpired(config, running)
    if (running.terms !== null) this.#tasks.schedule(projectId, running.terms, now)
    for (const { taskId, resolve } of this.#waiting) if (this.#tasks.roundOf(taskId) !== null) resolve()
  }

  /**
   * Ends all that waited in vain, before anything is scheduled: no task of an epoch without a set gets a round of the next
   * one. However many they are, they end with one alarm.
   */
  #endExpired(config: CommitteesConfig, running: RunningEpoch): Promise<void> {
    return this.#endAll(config, () => this.#tasks.expired(running))
  }

  async #endAll(config: CommitteesConfig, next: () => string[]): Promise<void> {
    for (let ended = next(); ended.length > 0; ended = next()) {
      // Everybody reads it before the task is forgotten.
      await config.noteExpired(ended)
      this.#tasks.drop(ended)
    }
  }

  /** Returns once a round has begun, or is left to the alarm; the others do not keep it waiting. */
  async #begun(config: CommitteesConfig, roundId: string): Promise<void> {
    const terms = this.#tasks.termsOfStarting(roundId)
    if (terms !== null) await this.#startRound(config, terms)
  }

  async #startRounds(config: CommitteesConfig): Promise<void> {
    await Promise.all(this.#tasks.starting().map((terms) => this.#startRound(config, terms)))
  }

  /** One try at a time, which everybody waits for. */
  #startRound(config: CommitteesConfig, terms: RoundTerms): Promise<void> {
    const { roundId } = terms
    const started = this.#starting.get(roundId) ?? this.#tryToStart(config, terms)
    this.#starting.set(roundId, started)
    return started
  }

  async #tryToStart(config: CommitteesConfig, terms: RoundTerms): Promise<void> {
    try {
      await config.startRound(terms)
      this.#tasks.started(terms.roundId)
    } catch (error) {
      console.error(`${terms.roundId} could not start; the alarm tries again`, error)
    } finally {
      this.#starting.delete(terms.roundId)
    }
  }

  /** A task that nobody may be able to read of is not taken. The note may be there, as its answer may be what was lost. */
  async #noteQueued(
    config: CommitteesConfig,
    projectId: string,
    request: TaskRequest,
    { status, taskId, createdAt }: TakenTask,
  ): Promise<void> {
    try {
      await config.noteQueued(projectId, { ...request, taskId }, createdAt)
    } catch (error) {
      if (status === 'queued') this.#tasks.takeBack(taskId)
      throw error
    }
  }

  async #runningEpoch(
    config: CommitteesConfig,
    projectId: string,
    now: number,
  ): Promise<RunningEpoch | null> {
    const known = this.#running
    if (known?.terms && epochAt(now, known.epochSecs) === known.epoch) return known
    this.#running = await config.runningEpoch(projectId, now)
    return this.#running
  }

  #alarmWithin(ms: number): Promise<void> {
    return this.#alarm.by(Date.now() + ms)
  }

  /** An object does not know its name. */
  #keepProjectId(projectId: string): void {
    const { kv } = this.ctx.storage
    if (kv.get('project_id') === undefined) kv.put('project_id', projectId)
  }

  async #advance(config: CommitteesConfig, projectId: string): Promise<CommitteesProgress | null> {
    try {
      return await config.advance(projectId)
    } catch (error) {
      console.error(`the committee sets of ${projectId} could not be brought forward`, error)
      return { open: 1, nextInSecs: Number.POSITIVE_INFINITY }
    }
  }

  /** @param now - Network time where it leaps. */
  #pauseMs({ pollMs }: CommitteesConfig, { open, nextInSecs }: CommitteesProgress, now: number): number {
    const { kv } = this.ctx.storage
    const attempts = open === 0 ? 0 : (kv.get<number>('attempts') ?? 0) + 1
    kv.put('attempts', attempts)
    const nextMs = Math.max(0, Math.min(nextInSecs * 1000, restMs))
    if (pollMs === null) return attempts === 0 ? nextMs : Math.min(nextMs, retryPauseMs(attempts))
    // What is missing may be there after the next leap, so no pause grows.
    kv.put('due_at', attempts === 0 ? now + nextMs / 1000 : 0)
    return Math.min(nextMs, attempts === 0 ? pollMs : Math.min(firstPauseMs, 2 * pollMs))
  }
}
