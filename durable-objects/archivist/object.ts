import { DurableObject } from 'cloudflare:workers'
import { Alarm } from '../alarm.ts'

export interface ArchivistConfig {
  /** Does the next step; done again it changes nothing. @returns Whether there was anything to do. */
  step(): Promise<boolean>
}

/** For how long one alarm goes on, and how many steps it takes, at most. */
const alarmMsMax = 10_000
const stepsMax = 20
const failedPauseMs = 60_000

/** Brings rounds of old epochs out of the database: `env.ARCHIVIST.getByName('rounds')`. The schedule wakes it, and it goes on until nothing is due. */
export class ArchivistObject<Env = unknown> extends DurableObject<Env> {
  readonly #config: ArchivistConfig
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env, config: ArchivistConfig) {
    super(ctx, env)
    this.#config = config
    this.#alarm = new Alarm(ctx.storage)
  }

  /** Looks what is due. After a failure it waits until its pause is over. */
  async wake(): Promise<void> {
    await this.#alarm.revive(Date.now())
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    const pauseMs = await this.#work().catch((error) => {
      console.error('rounds could not be archived', error)
      return failedPauseMs
    })
    if (pauseMs !== null) await this.#alarm.by(Date.now() + pauseMs)
  }

  async #work(): Promise<number | null> {
    const begunMs = Date.now()
    for (let steps = 0; steps < stepsMax && Date.now() - begunMs < alarmMsMax; steps++)
      if (!(await this.#config.step())) return null
    return 0
  }
}
