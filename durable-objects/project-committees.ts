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
  /** Network time may leap ahead of the machine's where it follows a chain: it is looked at this often then. */
  pollMs: number | null
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
 * It holds only its project and how often it tried. Sets and attestations lie in the database, whose keys decide between
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
    const progress = await this.#advance(this.#config, projectId)
    if (progress === null) return void this.ctx.storage.kv.delete('attempts')
    await this.ctx.storage.setAlarm(Date.now() + this.#pauseMs(this.#config, progress))
  }

  async #advance(config: CommitteesConfig, projectId: string): Promise<CommitteesProgress | null> {
    try {
      return await config.advance(projectId)
    } catch (error) {
      console.error(`the committee sets of ${projectId} could not be brought forward`, error)
      return { open: 1, nextInSecs: Number.POSITIVE_INFINITY }
    }
  }

  #pauseMs({ pollMs }: CommitteesConfig, { open, nextInSecs }: CommitteesProgress): number {
    const { kv } = this.ctx.storage
    const attempts = open === 0 ? 0 : (kv.get<number>('attempts') ?? 0) + 1
    kv.put('attempts', attempts)
    const nextMs = Math.max(0, Math.min(nextInSecs * 1000, restMs))
    // Where time leaps, what is missing may be there at once, and no pause grows.
    if (pollMs !== null) return Math.min(nextMs, attempts === 0 ? pollMs : Math.min(firstPauseMs, 2 * pollMs))
    return attempts === 0 ? nextMs : Math.min(nextMs, retryPauseMs(attempts))
  }
}
