import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { hashNetworkParams, profileStrings } from '../../protocol/identity/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'

export const createNodeLink = (ctx: DurableObjectState, env: Env): NodeLinkObject<Env> =>
  new NodeLinkObject(ctx, env, nodeLinkConfig(env))

function nodeLinkConfig(env: Env): NodeLinkConfig {
  const { PROFILE: profile, CLOCK, CHAIN_BLOCK_SECS } = readSettings(env)
  const { clock, deviceLinks, params } = services(env)
  return {
    limits: params,
    paramsHash: hashNetworkParams(params),
    subprotocol: profileStrings(profile).relay_subprotocol,
    pollMs: CLOCK === 'chain' ? CHAIN_BLOCK_SECS * 1000 : null,
    now: () => clock.now(),
    publish: async (view, revision) => deviceLinks.publish(view, revision, await clock.now()),
    standing: async (nodeKey) => {
      const standing = await deviceLinks.standing(nodeKey)
      const { isBanned = false, isFaulty = false, isValidator = false } = standing ?? {}
      return { isBanned, isFaulty, isValidator }
    },
    round: (roundId) => env.ROUND.getByName(roundId),
  }
}
