import { DurableObject } from 'cloudflare:workers'
import { Alarm } from '../alarm.ts'

export interface GenerationKeeperConfig {
  /**
   * Has the generation that waits be signed. It may fail, or be repeated, at any point.
   *
   * @returns Seconds until it is to be tried again; null when none waits.
   */
  gather(): Promise<number | null>
}

/** After an attempt that failed as a whole. */
const failedPauseSecs = 5

/**
 * Has the next generation of validators be signed: `env.GENERATION_KEEPER.getByName('validators')`. It holds no more than its
 * alarm, which comes while a generation waits for its quorum: which one that is, and who has signed it, lies in the database.
 */
export class GenerationKeeperObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: GenerationKeeperConfig
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env, config: GenerationKeeperConfig) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
  }

  /** A generation was made; or goes on after an alarm was lost. */
  async wake(): Promise<void> {
    await this.#alarm.by(Date.now())
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    const pauseSecs = await this.#config.gather().catch((error) => {
      console.error('the next generation of validators could not be brought forward', error)
      return failedPauseSecs
    })
    if (pauseSecs !== null) await this.#alarm.by(Date.now() + pauseSecs * 1000)
  }
}
