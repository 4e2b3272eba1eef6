import { DurableObject } from 'cloudflare:workers'
import { Alarm } from '../alarm.ts'

export interface GenerationKeeperConfig {
  /** Has the waiting generation signed; it may fail or be repeated. @returns Seconds until the next try; null when none waits. */
  gather(): Promise<number | null>
}

/** After an attempt that failed as a whole. */
const failedPauseSecs = 5

/** Has the next generation of validators signed: `env.GENERATION_KEEPER.getByName('validators')`. It holds only an alarm. */
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
