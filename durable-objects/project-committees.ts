import { DurableObject } from 'cloudflare:workers'

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
  leapingTime: { pollMs: number; now(): Promise<number> } | null
}

const firstPauseMs = 5_000
const longestPauseMs = 300_000
/** Alarms come this often at least, so that one that was set by a wrong clock does no harm. */
const restMs = 3_600_000

/** How long to wait before the next attempt, after so many that left a set open: 5, 10, 20 … 300 s. */
export const retryPauseMs = (attempts: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(16, attempts - 1))

/**
 * Sees to the committee sets of one project: `env.PROJECT_COMMITTEES.getByName('<project id>')`. Its alarm comes when the
 * set of the next epoch is due, and again, with growing pauses, until a quorum of the validators has attested it.
 *
 * It holds only its project, how often it tried, and when the next set is due where time leaps. Sets and attestations lie in the database, whose keys decide between
 * alarms that run twice: a set that is there is never built again.
 */
export class ProjectCommitteesObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: CommitteesConfig | null

  constructor(ctx: DurableObjectState, env: Env, config: CommitteesConfig | null) {
    super(ctx, env)
    this.#config = config
  }

  /** Begins, or goes on after an alarm was lost. */
  async wake(projectId: string): Promise<void> {
    if (this.#config === null) return
    this.ctx.storage.kv.put('project_id', projectId)
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now())
  }

  override async alarm(): Promise<void> {
    const projectId = this.ctx.storage.kv.get<string>('project_id')
    if (this.#config === null || projectId === undefined) return
    const { leapingTime } = this.#config
    const now = (await leapingTime?.now()) ?? 0
    if (leapingTime !== null && now < (this.ctx.storage.kv.get<number>('due_at') ?? 0))
      return this.ctx.storage.setAlarm(Date.now() + leapingTime.pollMs)
    const progress = await this.#advance(this.#config, projectId)
    if (progress === null) {
      for (const key of ['attempts', 'due_at']) this.ctx.storage.kv.delete(key)
      return
    }
    await this.ctx.storage.setAlarm(Date.now() + this.#pauseMs(this.#config, progress, now))
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
  #pauseMs({ leapingTime }: CommitteesConfig, { open, nextInSecs }: CommitteesProgress, now: number): number {
    const { kv } = this.ctx.storage
    const attempts = open === 0 ? 0 : (kv.get<number>('attempts') ?? 0) + 1
    kv.put('attempts', attempts)
    const nextMs = Math.max(0, Math.min(nextInSecs * 1000, restMs))
    if (leapingTime === null) return attempts === 0 ? nextMs : Math.min(nextMs, retryPauseMs(attempts))
    // What is missing may be there after the next leap, so no pause grows.
    kv.put('due_at', attempts === 0 ? now + nextMs / 1000 : 0)
    return Math.min(nextMs, attempts === 0 ? leapingTime.pollMs : firstPauseMs)
  }
}
