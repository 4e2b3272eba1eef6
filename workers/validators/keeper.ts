import type { RepeatingObject } from '../../durable-objects/repeating-object.ts'
import type { Env } from '../env.ts'
import { objectClient } from '../object-client.ts'

/** The object that has generations of validators signed. Methods throw 503 `unavailable`. */
export const createGenerationKeeperClient = (env: Env) =>
  objectClient<Pick<RepeatingObject, 'wake'>>(
    'The object of validator generations',
    () => env.GENERATION_KEEPER.getByName('validators'),
    ['wake'],
  )
