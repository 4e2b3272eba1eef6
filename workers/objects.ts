import { ChainIndexerObject, type IndexerConfig } from '../durable-objects/chain-indexer.ts'
import { type CommitteesConfig, ProjectCommitteesObject } from '../durable-objects/project-committees.ts'
import {
  type RelayerConfig,
  RelayerObject,
  type RelayRequest,
  type RelayResult,
  type RelayView,
} from '../durable-objects/relayer.ts'
import { contractErrors, eventTopics } from './chain/abi.ts'
import { createChainClient } from './chain/client.ts'
import { openedVault } from './chain/events.ts'
import { createIndexStore } from './chain/index-store.ts'
import { type Env, readSettings } from './env.ts'
import { keyOfObject, keyRing, type RelayKey } from './relay/key-ring.ts'
import { services } from './services.ts'

/** The Durable Objects that need more than their storage, joined with what this hub gives them. */

export class Relayer extends RelayerObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, relayerConfig(env, ctx.id))
  }
}

export class ChainIndexer extends ChainIndexerObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, indexerConfig(env))
  }
}

export class ProjectCommittees extends ProjectCommitteesObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, committeesConfig(env))
  }
}

/** What an object signs with is the key of its own name, on the chain of its own name. */
function relayerConfig(env: Env, id: DurableObjectId): RelayerConfig | null {
  const settings = readSettings(env)
  const ring = keyRing(settings)
  const key = keyOfObject(ring, env.RELAYER, id)
  const rpcUrl = settings.CHAIN_RPC_URL
  if (!rpcUrl || key === null) return null
  return {
    rpcUrl,
    timeoutMs: settings.CHAIN_TIMEOUT_MS,
    chainId: settings.PROFILE.chain_id,
    privateKey: key.privateKey,
    errors: contractErrors,
    feeCapWei: BigInt(settings.RELAYER_FEE_CAP_GWEI) * 10n ** 9n,
    confirmations: settings.CHAIN_CONFIRMATIONS,
    tickMs: settings.RELAYER_TICK_MS,
    stuckMs: settings.RELAYER_STUCK_MS,
    gasPerDay: settings.RELAYER_GAS_PER_DAY * settings.RATE_LIMIT_MULTIPLIER,
    accepts: !ring.previous.includes(key),
    findElsewhere: (request) => findElsewhere(env, key === ring.relayer ? ring.previous : [], request),
    enqueue: async (ids) => {
      await env.RELAY.sendBatch(ids.map((id) => ({ body: { v: 1, id } })))
    },
    publish: (relays) => services(env).transactions.put(relays),
    findForeignSubmission: async (relay, atLeast) => {
      const { findForeignSubmission } = await import('./relay/foreign-submission.ts')
      const chain = createChainClient(rpcUrl, settings.PROFILE.chain_id)
      return findForeignSubmission(chain, relay, atLeast)
    },
  }
}

/** The objects of keys that still drain are asked, and the copies of all actions there ever were. */
async function findElsewhere(
  env: Env,
  previous: readonly RelayKey[],
  request: RelayRequest,
): Promise<RelayResult | null> {
  const [copy, ...answers] = await Promise.all([
    services(env).transactions.find(request.id),
    ...previous.map((key) => handOver(env, key, request)),
  ])
  const answer = answers.find((one) => one !== null)
  if (answer) return answer
  // Revision 0 is what no object accepted: somebody else brought it to the chain.
  return copy && copy.revision > 0 ? { status: 'accepted', relay: copy as RelayView } : null
}

async function handOver(
  env: Env,
  { objectName }: RelayKey,
  request: RelayRequest,
): Promise<RelayResult | null> {
  const answer = await env.RELAYER.getByName(objectName).handOver(request)
  // One that is passed on as it came would keep the call open.
  return structuredClone(answer) as RelayResult | null
}

function committeesConfig(env: Env): CommitteesConfig | null {
  const settings = readSettings(env)
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  return {
    pollMs: settings.CLOCK === 'chain' ? settings.CHAIN_POLL_MS : null,
    advance: async (projectId) => {
      const { ProjectSets } = await import('./committees/project-sets.ts')
      return new ProjectSets(services(env), settings).advance(projectId)
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
