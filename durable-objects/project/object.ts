import { DurableObject } from 'cloudflare:workers'
import { type Block, epochAt } from '../../protocol/committees/index.ts'
import type { SetAnswer } from '../../protocol/link/index.ts'
import { Alarm } from '../alarm.ts'
import { Gathering } from '../gathering.ts'
import type { ProjectPort } from '../link/types.ts'
import type { CopiedRows, CopyPage } from '../object-copy.ts'
import type { RoundTerms } from '../round/round.ts'
import type { EndedRound } from '../round/types.ts'
import { Waiters } from '../waiters.ts'
import { AwaitedBlocks } from './awaited-blocks.ts'
import { AwaitedEnds } from './awaited-ends.ts'
import type { EndedRounds, QueuedTask } from './copy.ts'
import { firstPauseMs, restPauseMs, retryPauseMs } from './pauses.ts'
import { resumedAtKey } from './sequences.ts'
import { keptMs, startsMax, TaskQueue } from './task-queue.ts'
import type { RefusedTask, RunningEpoch, Taken, TakenTask, TaskError, TaskRequest } from './tasks.ts'

/** Takes what a validator answers about a set over its link. @returns What is wrong with it; null if nothing is. */
export type SetListener = (nodeKey: string, answer: SetAnswer) => Promise<string | null>

export interface CommitteesProgress {
  /** Sets of epochs that run or are about to, and that no quorum has attested. */
  open: number
  nextInSecs: number
}

/** @typeParam View - How everybody reads a round. */
export interface CommitteesConfig<View = unknown> {
  /** A hub without a chain has no committees, so its objects rest. */
  hasChain: boolean
  /** Builds due sets and has them attested; it may fail or be repeated. Null for a project without committees, and on a hub without a chain. */
  advance(
    projectId: string,
    listen: (listener: SetListener | null) => void,
  ): Promise<CommitteesProgress | null>
  /** How often blocks are read, where network time follows a chain and may leap ahead of the machine's; null elsewhere. */
  pollMs: number | null
  /** Network time. */
  now(): Promise<number>
  /** When the hub was last made again from a backup, which may not have had the project; null if it never was. */
  resumedAt(): Promise<number | null>
  /** The epoch of a time; null for a project that has no committees. */
  runningEpoch(projectId: string, now: number): Promise<RunningEpoch | null>
  /** @param isRepeated - Whether it may have begun, and ended, before. @returns The round, if this began it. */
  startRound(terms: RoundTerms, isRepeated: boolean): Promise<View | null>
  /** How everybody reads a round that is over. */
  viewOf(ended: EndedRound): View
  /** The first block after a time, by which rounds are audited; null while it is not there. */
  auditBlock(agreedAt: number): Promise<Block | null>
  /** How long to wait before looking for the next block of the chain, in milliseconds. */
  untilNextBlock(): number
  tellBlock(roundId: string, block: Block): Promise<void>
  /** Has lists show rounds that are over, and tells their validators each other's votes. */
  endRounds(projectId: string, ended: readonly EndedRound[]): Promise<void>
  /** Notes for everybody that a task waits, which round it has then, or that it waited in vain. */
  noteQueued(projectId: string, request: TaskRequest, createdAt: number): Promise<void>
  noteScheduled(tasks: readonly { taskId: string; roundId: string }[]): Promise<void>
  noteExpired(taskIds: readonly string[], error: TaskError): Promise<void>
}

/** Why a task ends whose epoch is over. */
const waitedError: TaskError = 'no_attested_snapshot'
/** Rounds that end within this time share a message, and frames to their validators. */
const endingMs = 100
/** While tasks wait, what they wait for is looked for this often. */
const queuePauseMs = 5_000
/** While tasks run, whether their sets still have a quorum is looked at this often. */
const setsPauseMs = 60_000
/** Alarms come this often at least, so that one that was set by a wrong clock does no harm. */
const restMs = 3_600_000

/** Only backups need it. */
const copying = () => import('./copy.ts')

/**
 * Sees to the committee sets of one project, and gives its tasks their place: `env.PROJECT_COMMITTEES.getByName('<project id>')`. Its alarm
 * comes when the next set is due, and again, with growing pauses, until a quorum has attested it. Sets and attestations lie in the database,
 * whose keys decide between alarms that run twice; here are the tasks that wait or run, and the next `seq`.
 */
export class ProjectCommitteesObject<Env = unknown, View = unknown>
  extends DurableObject<Env>
  implements ProjectPort
{
  readonly #config: CommitteesConfig<View>
  readonly #alarm: Alarm
  #tasks: TaskQueue
  /** With its terms once there are some: they hold for the whole epoch. */
  #running: RunningEpoch | null = null
  readonly #waiting = new Waiters()
  readonly #blocks: AwaitedBlocks
  readonly #ends = new AwaitedEnds<View>()
  /** While validators are asked about a set. */
  #listener: SetListener | null = null
  #ending: Gathering<EndedRound> | undefined
  readonly #starting = new Map<string, Promise<View | null>>()
  /** Notes that are on their way to the database, and why their tasks have waited in vain by now; null while they wait. */
  readonly #notes = new Set<{ readonly taskId: string; error: TaskError | null }>()
  /** Tasks that waited in vain, until they are forgotten. */
  readonly #overdue = new Map<string, TaskError>()

  constructor(ctx: DurableObjectState, env: Env, config: CommitteesConfig<View>) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
    this.#tasks = new TaskQueue(ctx.storage)
    this.#blocks = new AwaitedBlocks(config)
  }

  /** Begins, or goes on after an alarm was lost. */
  async wake(projectId: string): Promise<void> {
    await this.#begin(projectId)
    await this.#alarm.revive(Date.now())
  }

  /** Looks at its sets at once, whenever the next is due: those of running epochs may have lost their quorum. */
  async lookAgain(projectId: string): Promise<void> {
    await this.#begin(projectId)
    this.ctx.storage.kv.delete('due_at')
    this.#running = null
    await this.#alarmWithin(0)
  }

  /** Why a task would not be taken now; null if it would be. `none` for a project that has no committees. */
  async refusal(projectId: string, request: TaskRequest): Promise<RefusedTask | { status: 'none' } | null> {
    const now = await this.#config.now()
    const running = await this.#runningEpoch(projectId, now)
    return running === null ? { status: 'none' } : this.#tasks.refusal(request, running, now)
  }

  /** Takes a task. `none` for a project that has no committees. */
  async submit(projectId: string, request: TaskRequest): Promise<Taken<View> | { status: 'none' }> {
    await this.#begin(projectId)
    // Epoch and `issued_at` are of one moment: a task belongs to one epoch, however long the rest takes.
    const now = await this.#config.now()
    const running = await this.#runningEpoch(projectId, now)
    if (running === null) return { status: 'none' }
    const submitted = this.#tasks.submit(projectId, request, running, now)
    if (submitted.status === 'conflict' || submitted.status === 'full') return submitted
    await this.#alarmWithin(queuePauseMs)
    // A caller that gets the id of a task can read the task, also when another request has just submitted it.
    if (submitted.roundId === null) await this.#noteQueued(projectId, request, submitted)
    const terms = submitted.roundId && this.#tasks.termsOfStarting(submitted.taskId)
    const begun = terms ? await this.#startRound(terms, submitted.status === 'known') : null
    return begun === null ? submitted : { ...submitted, begun }
  }

  /** Looks at once for what tasks wait for: a set was attested. */
  async nudge(): Promise<void> {
    if (this.#tasks.count('queued') > 0) await this.#alarmWithin(0)
  }

  /** Waits until a task has its round, or waited in vain; the round, or null. */
  async waitForRound(taskId: string, ms: number): Promise<string | null> {
    await this.#waiting.until(() => this.#tasks.roundOf(taskId) !== null, ms)
    return this.#tasks.roundOf(taskId) ?? null
  }

  /** Waits until an open round is over. @returns Whether it is, as far as is known here, and how everybody reads it; null if that has to be read. */
  async waitForEnd(roundId: string, ms: number): Promise<{ isOver: boolean; view: View | null }> {
    const view = this.#tasks.isOpen(roundId) ? await this.#ends.wait(roundId, ms) : null
    return { isOver: view !== null || !this.#tasks.isOpen(roundId), view }
  }

  /** The committee of a round is done: it is told the block that decides whether it is audited. */
  async awaitBlock(roundId: string, agreedAt: number): Promise<void> {
    this.#blocks.add(roundId, agreedAt)
  }

  /** How many rounds of an epoch there are, and how many of them are not over as far as this object was told. */
  async openRounds(epoch: number): Promise<{ given: number; open: number }> {
    return this.#tasks.openRounds(epoch)
  }

  /** A round is over. It is counted as open until lists are to show it, and its validators have each other's votes. */
  async endRound(projectId: string, ended: EndedRound): Promise<void> {
    const { roundId } = ended
    this.#ends.over(roundId, this.#config.viewOf(ended))
    this.#ending ??= new Gathering(endingMs, (all) => this.#config.endRounds(projectId, all))
    await this.#ending.add(ended)
    this.#tasks.close(roundId)
    this.#blocks.delete(roundId)
    this.#ends.over(roundId, null)
    await this.#alarmWithin(this.#tasks.count('queued') > 0 ? 0 : keptMs)
  }

  /** An answer that comes while nobody is asked is lost: the validator gives it again. */
  async attested(nodeKey: string, answer: SetAnswer): Promise<string | null> {
    return this.#listener?.(nodeKey, answer) ?? null
  }

  /** The next page of a backup. */
  async dump(cursor: string | null): Promise<CopyPage> {
    this.#tasks.clear('all')
    return (await copying()).dumpProject(this.ctx.storage, cursor)
  }

  /** Adds rows of a backup. False if this object is in use. */
  async load(backup: string, rows: CopiedRows): Promise<boolean> {
    return (await copying()).loadProject(this.ctx.storage, backup, rows)
  }

  async openRoundIds(): Promise<string[]> {
    this.#tasks.clear('all')
    return (await copying()).openRoundIds(this.ctx.storage)
  }

  /** The tasks that wait: a database that was set back may not know all of them. */
  async queuedTasks(): Promise<QueuedTask[]> {
    return (await copying()).queuedTasks(this.ctx.storage)
  }

  /** Goes to work after a backup was loaded. It begins all open rounds again, which changes nothing where one is over. False if it is in use. */
  async resume(projectId: string, ended: readonly EndedRounds[], ids: readonly string[]): Promise<boolean> {
    const { goOnAfter } = await copying()
    if (!goOnAfter(this.ctx.storage, ended, ids, await this.#config.now())) return false
    this.ctx.storage.kv.delete('due_at')
    this.#tasks = new TaskQueue(this.ctx.storage)
    await this.#begin(projectId)
    await this.#alarmWithin(0)
    return true
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    const projectId = this.ctx.storage.kv.get<string>('project_id')
    if (projectId === undefined || !this.#config.hasChain) return
    const move = () =>
      this.#moveTasks(projectId).catch((error) =>
        console.error(`the tasks of ${projectId} could not be brought forward`, error),
      )
    // Validators that do not answer about a set delay no task.
    const timer = setInterval(move, queuePauseMs)
    const setsMs = await this.#moveSets(projectId).finally(() => clearInterval(timer))
    await move()
    if (!this.#tasks.isBusy) this.#tasks.clear()
    const waiting = this.#tasks.count('queued') + this.#tasks.count('untaken') + this.#tasks.startingCount
    const clearMs = this.#tasks.hasLeftOver ? keptMs : Infinity
    const nextMs = Math.min(setsMs, waiting > 0 ? queuePauseMs : clearMs)
    if (nextMs < Infinity) await this.#alarmWithin(nextMs)
  }

  /** Builds the sets that are due and has them attested. @returns When that is looked at again, in milliseconds. */
  async #moveSets(projectId: string): Promise<number> {
    const { kv } = this.ctx.storage
    const { pollMs } = this.#config
    const now = pollMs === null ? Date.now() / 1000 : await this.#config.now().catch(() => null)
    // A clock that cannot be read is read again.
    if (now === null) return pollMs ?? firstPauseMs
    const leftMs = ((kv.get<number>('due_at') ?? 0) - now) * 1000
    // Alarms for tasks come far more often. A waiting task may wait for a set. A wrong clock noted a time beyond the longest rest.
    const isResting = leftMs > 0 && leftMs <= restMs
    if (isResting && (pollMs !== null || this.#tasks.count('queued') === 0))
      return restPauseMs(leftMs, pollMs)
    const progress = await this.#advance(projectId)
    if (progress !== null) return this.#pauseMs(progress, now)
    for (const key of ['attempts', 'due_at']) kv.delete(key)
    return Infinity
  }

  /** Gives waiting tasks their rounds, ends those that waited in vain, and begins the rounds that were decided on. */
  async #moveTasks(projectId: string): Promise<void> {
    const now = await this.#config.now()
    this.#tasks.purge(now)
    await this.#endAll(() => this.#tasks.untaken())
    if (this.#tasks.count('queued') > 0) {
      const running = await this.#runningEpoch(projectId, now)
      if (running !== null) await this.#moveQueue(projectId, running, now)
    }
    // All of them, until one fails: to a new process those that have just ended are among what is open.
    for (let left = this.#tasks.startingCount; left > 0; left -= startsMax)
      if (!(await this.#startSome(projectId))) break
    this.#waiting.look()
  }

  /** Begins the oldest rounds that were decided on. @returns Whether all of these have begun. */
  async #startSome(projectId: string): Promise<boolean> {
    const starting = this.#tasks.starting()
    const waited = starting.filter(({ queuedAt }) => queuedAt !== undefined)
    // Callers that have the id of a waiting task find its round by it.
    if (waited.length > 0)
      await this.#config
        .noteScheduled(waited.map(({ taskId, roundId }) => ({ taskId, roundId })))
        // Their time runs: they begin all the same, and the end of each round notes it as well.
        .catch((error) =>
          console.error(`the rounds of waiting tasks of ${projectId} could not be noted`, error),
        )
    await Promise.all(starting.map((terms) => this.#startRound(terms, true)))
    return starting.every(({ taskId }) => this.#tasks.termsOfStarting(taskId) === null)
  }

  async #moveQueue(projectId: string, running: RunningEpoch, now: number): Promise<void> {
    // Before anything is scheduled: no task of an epoch without a set gets a round of the next one.
    await this.#endAll(() => this.#tasks.expired(running))
    const { terms } = running
    if (terms !== null)
      await this.#endAll(() => this.#tasks.schedule(projectId, terms, now), 'version_changed')
  }

  /** Ends all tasks that waited in vain, however many they are, with one alarm. */
  async #endAll(next: () => string[], error: TaskError = waitedError): Promise<void> {
    for (let ended = next(); ended.length > 0; ended = next()) {
      // First: a note may have landed, too late for this, before its own answer or the one to this is here.
      for (const taskId of ended) this.#overdue.set(taskId, error)
      for (const note of this.#notes) note.error ??= this.#overdue.get(note.taskId) ?? null
      // Everybody reads it before the task is forgotten.
      await this.#config.noteExpired(ended, error)
      this.#tasks.drop(ended)
      for (const taskId of ended) this.#overdue.delete(taskId)
    }
  }

  /** Tries once at a time, and everybody waits for that try. */
  #startRound(terms: RoundTerms, isRepeated: boolean): Promise<View | null> {
    const { roundId } = terms
    const started = this.#starting.get(roundId) ?? this.#tryToStart(terms, isRepeated)
    this.#starting.set(roundId, started)
    return started
  }

  async #tryToStart(terms: RoundTerms, isRepeated: boolean): Promise<View | null> {
    try {
      const begun = await this.#config.startRound(terms, isRepeated)
      this.#tasks.started(terms.roundId)
      return begun
    } catch (error) {
      console.error(`${terms.roundId} could not start; the alarm tries again`, error)
      return null
    } finally {
      this.#starting.delete(terms.roundId)
    }
  }

  /** A task that nobody may be able to read of is not taken. The note may be there, as its answer may be what was lost. */
  async #noteQueued(projectId: string, request: TaskRequest, taken: TakenTask): Promise<void> {
    const { status, taskId, createdAt } = taken
    // A key still names a task that was forgotten.
    const isForgotten = this.#tasks.roundOf(taskId) === undefined
    const note = { taskId, error: this.#overdue.get(taskId) ?? (isForgotten ? waitedError : null) }
    this.#notes.add(note)
    try {
      await this.#config.noteQueued(projectId, { ...request, taskId }, createdAt)
      // Nobody ends the record of a task that waited in vain before there was one.
      if (note.error !== null) await this.#config.noteExpired([taskId], note.error)
    } catch (error) {
      if (status === 'queued') this.#tasks.takeBack(taskId)
      throw error
    } finally {
      this.#notes.delete(note)
    }
  }

  async #runningEpoch(projectId: string, now: number): Promise<RunningEpoch | null> {
    const known = this.#running
    if (known?.terms && epochAt(now, known.epochSecs) === known.epoch) return known
    this.#running = await this.#config.runningEpoch(projectId, now)
    return this.#running
  }

  #alarmWithin(ms: number): Promise<void> {
    return this.#alarm.by(Date.now() + ms)
  }

  /** An object does not know its name, nor tasks that it gave a `seq` before it was lost. */
  async #begin(projectId: string): Promise<void> {
    const { kv } = this.ctx.storage
    if (kv.get('project_id') !== undefined) return
    const resumedAt = kv.get(resumedAtKey) === undefined ? await this.#config.resumedAt() : null
    if (resumedAt !== null) kv.put(resumedAtKey, resumedAt)
    kv.put('project_id', projectId)
  }

  async #advance(projectId: string): Promise<CommitteesProgress | null> {
    try {
      return await this.#config.advance(projectId, (listener) => {
        this.#listener = listener
      })
    } catch (error) {
      console.error(`the committee sets of ${projectId} could not be brought forward`, error)
      return { open: 1, nextInSecs: Number.POSITIVE_INFINITY }
    }
  }

  /** @param now - The clock by which sets are due: network time where it leaps, else that of the machine. */
  #pauseMs({ open, nextInSecs }: CommitteesProgress, now: number): number {
    const { kv } = this.ctx.storage
    const { pollMs } = this.#config
    const attempts = open === 0 ? 0 : (kv.get<number>('attempts') ?? 0) + 1
    kv.put('attempts', attempts)
    const nextMs = Math.max(0, Math.min(nextInSecs * 1000, restMs))
    const lookMs = pollMs === null ? Math.min(nextMs, setsPauseMs) : nextMs
    kv.put('due_at', attempts === 0 ? now + lookMs / 1000 : 0)
    if (pollMs === null) return attempts === 0 ? nextMs : Math.min(nextMs, retryPauseMs(attempts))
    // Missing data may be there after the next leap, so no pause grows.
    return attempts === 0 ? restPauseMs(nextMs, pollMs) : Math.min(nextMs, firstPauseMs, 2 * pollMs)
  }
}
