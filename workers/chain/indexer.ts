import type { ChainIndexerObject } from '../../durable-objects/indexer/object.ts'
import type { Env, Settings } from '../env.ts'
import { objectClient } from '../object-client.ts'

/** The reader of the chain, or null while the hub has no chain or no contracts. Methods throw 503 `unavailable`. */
export const createIndexerClient = (env: Env, settings: Settings) =>
  settings.CHAIN_RPC_URL && settings.CHAIN_CONTRACTS
    ? objectClient<Pick<ChainIndexerObject, 'status' | 'wake' | 'newest' | 'beacon'>>(
        'The indexer',
        () => env.CHAIN_INDEXER.getByName(String(settings.PROFILE.chain_id)),
        ['status', 'wake', 'newest', 'beacon'],
      )
    : null
