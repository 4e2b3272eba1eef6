import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'

export interface GenerationKeeperClient {
  /** Has the generation that waits be signed, from now on until it is. Throws {@link ApiError} `unavailable`. */
  wake(): Promise<void>
}

/** What has generations of validators be signed. */
export const createGenerationKeeperClient = (env: Env): GenerationKeeperClient => ({
  wake: () =>
    env.GENERATION_KEEPER.getByName('validators')
      .wake()
      .catch((error: unknown) => {
        throw unavailable('What has generations be signed', error)
      }),
})
