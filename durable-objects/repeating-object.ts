import { DurableObject } from 'cloudflare:workers'
import { Alarm } from './alarm.ts'

export interface RepeatingConfig {
  /** Does what is due; it may fail or be repeated. @returns Seconds until the next time; null when nothing waits. */
  step(): Promise<number | null>
  /** The message that is logged when a step fails as a whole. */
  failure: string
}

/** After a step that failed as a whole. */
const failedPauseSecs = 5

/** Repeats a step for as long as something waits. It holds only an alarm. */
export class RepeatingObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: RepeatingConfig
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env, config: RepeatingConfig) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
  }

  /** Something is to be done; or goes on after an alarm was lost. */
  async wake(): Promise<void> {
    await this.#alarm.by(Date.now())
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    const pauseSecs = await this.#config.step().catch((error) => {
      console.error(this.#config.failure, error)
      return failedPauseSecs
    })
    if (pauseSecs !== null) await this.#alarm.by(Date.now() + pauseSecs * 1000)
  }
}
