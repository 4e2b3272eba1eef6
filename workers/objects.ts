import { ChainIndexerObject, type IndexerConfig } from '../durable-objects/chain-indexer.ts'
import { type RelayerConfig, RelayerObject } from '../durable-objects/relayer.ts'
import { contractErrors, eventTopics } from './chain/abi.ts'
import { openedVault } from './chain/events.ts'
import { createIndexStore } from './chain/index-store.ts'
import { type Env, readSettings } from './env.ts'
import { services } from './services.ts'

/** The Durable Objects that need more than their storage, joined with what this hub gives them. */

export class Relayer extends RelayerObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, relayerConfig(env))
  }
}

export class ChainIndexer extends ChainIndexerObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, indexerConfig(env))
  }
}

function relayerConfig(env: Env): RelayerConfig | null {
  const settings = readSettings(env)
  if (!settings.CHAIN_RPC_URL || !settings.RELAYER_PRIVATE_KEY) return null
  return {
    rpcUrl: settings.CHAIN_RPC_URL,
    timeoutMs: settings.CHAIN_TIMEOUT_MS,
    chainId: settings.PROFILE.chain_id,
    privateKey: settings.RELAYER_PRIVATE_KEY,
    errors: contractErrors,
    feeCapWei: BigInt(settings.RELAYER_FEE_CAP_GWEI) * 10n ** 9n,
    confirmations: settings.CHAIN_CONFIRMATIONS,
    tickMs: settings.RELAYER_TICK_MS,
    stuckMs: settings.RELAYER_STUCK_MS,
    gasPerDay: settings.RELAYER_GAS_PER_DAY * settings.RATE_LIMIT_MULTIPLIER,
    enqueue: async (ids) => {
      await env.RELAY.sendBatch(ids.map((id) => ({ body: { v: 1, id } })))
    },
    publish: (relays) => services(env).transactions.put(relays),
    findForeignSubmission: async (relay) => {
      const { chain } = services(env)
      const { findForeignSubmission } = await import('./relay/foreign-submission.ts')
      return chain && findForeignSubmission(chain, relay)
    },
  }
}

function indexerConfig(env: Env): IndexerConfig | null {
  const settings = readSettings(env)
  const contracts = settings.CHAIN_CONTRACTS
  if (!settings.CHAIN_RPC_URL || !contracts) return null
  const { project_registry, staking, vault_factory } = contracts
  return {
    rpcUrl: settings.CHAIN_RPC_URL,
    timeoutMs: settings.CHAIN_TIMEOUT_MS,
    pollMs: settings.CHAIN_POLL_MS,
    chainId: settings.PROFILE.chain_id,
    startBlock: settings.CHAIN_START_BLOCK,
    finalityBlocks: settings.CHAIN_FINALITY_BLOCKS ?? null,
    contracts: { project_registry, staking, vault_factory },
    topics: eventTopics,
    openedVault: (log) => openedVault(log, contracts),
    store: createIndexStore(services(env).chainIndex, contracts),
  }
}
