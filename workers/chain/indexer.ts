import type { IndexerStatus } from '../../durable-objects/indexer/object.ts'
import type { Env, Settings } from '../env.ts'
import { unavailable } from '../errors.ts'

export interface IndexerClient {
  status(): Promise<IndexerStatus>
  wake(): Promise<void>
}

/** The reader of the chain, or null while the hub has no chain or no contracts. Methods throw 503 `unavailable`. */
export function createIndexerClient(env: Env, settings: Settings): IndexerClient | null {
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  const object = () => env.CHAIN_INDEXER.getByName(String(settings.PROFILE.chain_id))
  const reach = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw unavailable('The indexer', error)
    }
  }
  return { status: () => reach(object().status()), wake: () => reach(object().wake()) }
}
