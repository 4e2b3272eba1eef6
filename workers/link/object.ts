import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { announcedAt, deriveNodeId, phaseAt, phaseHash } from '../../protocol/identity/index.ts'
import { returnSecs, subprotocolOf } from '../../protocol/link/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { nodectlVersionMin } from '../version.ts'
import { refusalOf } from './admission.ts'
import { makeTicket } from './tickets.ts'

export const createNodeLink = (ctx: DurableObjectState, env: Env): NodeLinkObject<Env> =>
  new NodeLinkObject(ctx, env, nodeLinkConfig(env))

function nodeLinkConfig(env: Env): NodeLinkConfig {
  const { PROFILE: profile, CLOCK, CHAIN_BLOCK_SECS } = readSettings(env)
  const { clock, cursors, deviceLinks, linkCount, params, paramsSchedule } = services(env)
  return {
    limits: params,
    paramsAt: (now) => ({
      hash: phaseHash(phaseAt(paramsSchedule, now)),
      next: announcedAt(paramsSchedule, now),
    }),
    nodectlMin: nodectlVersionMin,
    subprotocol: (version) => subprotocolOf(profile, version),
    pollMs: CLOCK === 'chain' ? CHAIN_BLOCK_SECS * 1000 : null,
    now: () => clock.now(),
    publish: async (view, revision) => deviceLinks.publish(view, revision, await clock.now()),
    standing: async (nodeKey) => {
      const standing = await deviceLinks.standing(nodeKey)
      const { isBanned = false, isFaulty = false, isValidator = false } = standing ?? {}
      const isAdmitted = refusalOf(deriveNodeId(profile, nodeKey), standing) === null
      return { isAdmitted, isBanned, isFaulty, isValidator }
    },
    returnSecs: async () => {
      const links = await linkCount.latest()
      return links === null ? null : returnSecs(links)
    },
    ticket: (nodeKey, generation, isVouched) => makeTicket(cursors, nodeKey, { generation, isVouched }),
    round: (roundId) => env.ROUND.getByName(roundId),
    project: (projectId) => env.PROJECT_COMMITTEES.getByName(projectId),
  }
}
