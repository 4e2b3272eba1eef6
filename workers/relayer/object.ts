import {
  type RelayerConfig,
  RelayerObject,
  type RelayRequest,
  type RelayResult,
  type RelayView,
} from '../../durable-objects/relayer/object.ts'
import { contractErrors } from '../chain/abi.ts'
import { createChainClient } from '../chain/client.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { keyOfObject, keyRing, type RelayKey } from './key-ring.ts'

export const createRelayer = (ctx: DurableObjectState, env: Env): RelayerObject<Env> =>
  new RelayerObject(ctx, env, relayerConfig(env, ctx.id))

/** Without work, a relayer looks at the chain once in this many blocks. */
const blocksOfView = 10

/** The settings of an object, which signs with the key of its own name, on the chain of its own name; null without these. */
function relayerConfig(env: Env, id: DurableObjectId): RelayerConfig | null {
  const settings = readSettings(env)
  const ring = keyRing(settings)
  const key = keyOfObject(ring, env.RELAYER, id)
  const rpcUrl = settings.CHAIN_RPC_URL
  if (!rpcUrl || key === null) return null
  const gasPerDay = settings.RELAYER_GAS_PER_DAY * settings.RATE_LIMIT_MULTIPLIER
  return {
    rpcUrl,
    timeoutMs: settings.CHAIN_TIMEOUT_MS,
    chainId: settings.PROFILE.chain_id,
    privateKey: key.privateKey,
    errors: contractErrors,
    feeCapWei: BigInt(settings.RELAYER_FEE_CAP_GWEI) * 10n ** 9n,
    txFeeCapWei: settings.RELAYER_TX_FEE_CAP_WEI,
    confirmations: settings.CHAIN_CONFIRMATIONS,
    tickMs: settings.RELAYER_TICK_MS,
    stuckMs: settings.RELAYER_STUCK_MS,
    viewMs: blocksOfView * settings.CHAIN_BLOCK_SECS * 1000,
    gasPerDay,
    gasPerOwner: Math.floor((gasPerDay * settings.RELAYER_OWNER_GAS_PERCENT) / 100),
    accepts: !ring.previous.includes(key),
    findElsewhere: (request) => findElsewhere(env, key === ring.relayer ? ring.previous : [], request),
    enqueue: async (ids) => {
      await env.ACTIONS.sendBatch(ids.map((id) => ({ body: { v: 1, id } })))
    },
    newest: async () => {
      const newest = await services(env).indexer?.newest()
      return newest?.blocks.length ? newest : null
    },
    publish: (relays) => services(env).transactions.put(relays),
    findForeignSubmission: async (relay, atLeast) => {
      const { findForeignSubmission } = await import('../actions/foreign-submission.ts')
      const { CHAIN_TIMEOUT_MS: timeoutMs, PROFILE: profile } = settings
      const chain = createChainClient({ rpcUrl, timeoutMs, chainId: profile.chain_id })
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
  // An answer that is passed on as it came would keep the call open.
  return structuredClone(answer) as RelayResult | null
}
