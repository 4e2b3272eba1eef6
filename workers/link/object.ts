import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { defaultNetworkParams, hashNetworkParams, profileStrings } from '../../protocol/identity/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'

export const createNodeLink = (ctx: DurableObjectState, env: Env): NodeLinkObject<Env> =>
  new NodeLinkObject(ctx, env, nodeLinkConfig(env))

function nodeLinkConfig(env: Env): NodeLinkConfig {
  const { PROFILE: profile, CLOCK, CHAIN_POLL_MS } = readSettings(env)
  const { clock, deviceLinks } = services(env)
  return {
    limits: defaultNetworkParams,
    paramsHash: hashNetworkParams(defaultNetworkParams),
    subprotocol: profileStrings(profile).relay_subprotocol,
    pollMs: CLOCK === 'chain' ? CHAIN_POLL_MS : null,
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
