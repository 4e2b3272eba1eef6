import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { defaultNetworkParams, deriveNodeId, hashNetworkParams } from '../../protocol/identity/index.ts'
import { returnSecs, subprotocolOf } from '../../protocol/link/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { nodectlVersionMin } from '../version.ts'
import { refusalOf } from './admission.ts'
import { makeTicket } from './tickets.ts'

export const createNodeLink = (ctx: DurableObjectState, env: Env): NodeLinkObject<Env> =>
  new NodeLinkObject(ctx, env, nodeLinkConfig(env))

function nodeLinkConfig(env: Env): NodeLinkConfig {
  const { PROFILE: profile, CLOCK, CHAIN_POLL_MS } = readSettings(env)
  const { clock, cursors, deviceLinks, linkCount } = services(env)
  return {
    limits: defaultNetworkParams,
    paramsHash: hashNetworkParams(defaultNetworkParams),
    nodectlMin: nodectlVersionMin,
    subprotocol: (version) => subprotocolOf(profile, version),
    pollMs: CLOCK === 'chain' ? CHAIN_POLL_MS : null,
    now: () => clock.now(),
    publish: async (view, revision) => deviceLinks.publish(view, revision, await clock.now()),
    standing: async (nodeKey) => {
      const standing = await deviceLinks.standing(nodeKey)
      return {
        isAdmitted: refusalOf(deriveNodeId(profile, nodeKey), standing) === null,
        isBanned: standing?.isBanned ?? false,
        isFaulty: standing?.isFaulty ?? false,
      }
    },
    returnSecs: async () => {
      const links = await linkCount.latest()
      return links === null ? null : returnSecs(links)
    },
    ticket: (nodeKey, generation, isVouched) => makeTicket(cursors, nodeKey, { generation, isVouched }),
    round: (roundId) => env.ROUND.getByName(roundId),
  }
}
