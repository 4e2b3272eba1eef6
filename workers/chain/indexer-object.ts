import { ChainIndexerObject, type IndexerConfig } from '../../durable-objects/indexer/object.ts'
import { chainProfileOf } from '../../protocol/identity/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { eventTopics } from './abi.ts'
import { openedVault } from './events.ts'
import { createIndexStore } from './index-store.ts'

export const createIndexer = (ctx: DurableObjectState, env: Env): ChainIndexerObject<Env> =>
  new ChainIndexerObject(ctx, env, indexerConfig(env))

function indexerConfig(env: Env): IndexerConfig | null {
  const settings = readSettings(env)
  const contracts = settings.CHAIN_CONTRACTS
  if (!settings.CHAIN_RPC_URL || !contracts) return null
  const { project_registry, staking, vault_factory } = contracts
  const chain = chainProfileOf(settings.PROFILE.chain_id)
  return {
    rpcUrl: settings.CHAIN_RPC_URL,
    timeoutMs: settings.CHAIN_TIMEOUT_MS,
    blockMs: settings.CHAIN_BLOCK_SECS * 1000,
    finalAgeSecsMax: chain?.finality ? services(env).params.beacon_offset_secs : null,
    chainId: settings.PROFILE.chain_id,
    startBlock: settings.CHAIN_START_BLOCK,
    logBlocks: chain?.logBlocks ?? 500,
    finalityBlocks: settings.CHAIN_FINALITY_BLOCKS ?? null,
    contracts: { project_registry, staking, vault_factory },
    topics: eventTopics,
    openedVault: (log) => openedVault(log, contracts),
    store: createIndexStore(services(env).chainIndex, contracts),
    seekBeacon: (epochSecs, epoch) => services(env).beacons.seekHere(epochSecs, epoch),
  }
}
