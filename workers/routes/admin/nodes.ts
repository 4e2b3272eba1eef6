import * as z from 'zod'
import type { ValidatorGeneration } from '../../../protocol/committees/index.ts'
import { nodeRoles, nodeStatuses } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, isRefusal } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { PathNodeId } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Node } from '../../stores/nodes.ts'
import { NodeView, nodeExample, nodeView } from '../nodes/schema.ts'
import { ofOperators, Reason } from './schema.ts'
import { makeNext, tellLinks } from './validators.ts'

const params = z.object({ node_id: PathNodeId.meta({ example: nodeExample.node_id }) })
const Decision = z.strictObject({ reason: Reason }).meta({ id: 'NodeDecision' })
const Revocation = z
  .strictObject({
    reason: Reason,
    at_once: z
      .boolean()
      .default(false)
      .describe(
        'For a validator: whether its key is revoked at once, so that its new signatures do not count.',
      ),
  })
  .meta({ id: 'NodeRevocation' })

export const listNodes = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/nodes',
    operationId: 'listNodes',
    summary: 'List the registered nodes, newest first',
    description: 'Miners and validators, with their state.',
    ...ofOperators,
    query: z.strictObject({
      ...pageQuery,
      role: z.enum(nodeRoles).optional(),
      status: z.enum(nodeStatuses).optional(),
    }),
    responses: onePage('NodePage', NodeView, nodeExample),
  },
  (c, { query: { role, status, ...query } }) =>
    answerPage(c, {
      list: `nodes role=${role ?? ''} status=${status ?? ''}`,
      query,
      by: ['registeredAt', 'nodeId'],
      fetch: (after, limit) => c.var.services.nodes.list({ role, status }, after, limit),
      view: nodeView,
    }),
)

export const approveNode = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/nodes/{node_id}/approve',
    operationId: 'approveNode',
    summary: 'Approve a node in its role',
    description:
      'Approving a validator makes the next generation of validators, once the network has its generation 0. The new generation takes effect at its `effective_at`, if a quorum of the previous generation has signed it by then.',
    ...ofOperators,
    params,
    json: { schema: Decision, example: {}, optional: true },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The node.', NodeView, nodeExample),
  },
  async (c, { params: { node_id }, json: { reason } }) => {
    const node = await requireNode(c, node_id)
    const { isHere, isComing, hasBegun } = await standingOf(c, node)
    if (node.role !== 'validator' || !hasBegun) return decide(c, node, 'approved', reason)
    if (isComing && (!isHere || node.status === 'approved')) return json(nodeView(node))
    await makeNext(c, { approve: [node_id], revoke: [] }, reason)
    await tellLinks(c, [node_id])
    return json(nodeView(await requireNode(c, node_id)))
  },
)

export const revokeNode = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/nodes/{node_id}/revoke',
    operationId: 'revokeNode',
    summary: 'Revoke a node',
    description:
      'The node cannot register again. Its device is shown as banned, and the hub closes its socket. Revoking a validator makes the next generation without it. It still counts for the epochs of its generations, unless `at_once` revokes its key: then its new signatures do not count, while the quorum of those epochs stays the same. The key is revoked also if no generation can be made.',
    ...ofOperators,
    params,
    json: { schema: Revocation, example: { reason: 'Signed two results for one task.' }, optional: true },
    errors: ['not_found', 'invalid_state'],
    responses: ok('The node.', NodeView, { ...nodeExample, status: 'revoked' }),
  },
  async (c, { params: { node_id }, json: { reason, at_once: atOnce } }) => {
    const node = await requireNode(c, node_id)
    const { isHere, isComing } = await standingOf(c, node)
    if (node.role !== 'validator' || (!isHere && !isComing)) return decide(c, node, 'revoked', reason)
    if (atOnce) await endKey(c, node_id, reason)
    if (isComing)
      await makeNext(c, { approve: [], revoke: [node_id] }, reason).catch((error: unknown) => {
        if (!atOnce || !isRefusal(error)) throw error
      })
    await c.var.services.links(node.publicKey).refresh()
    return json(nodeView(await requireNode(c, node_id)))
  },
)

async function requireNode(c: HubContext, nodeId: string): Promise<Node> {
  const node = await c.var.services.nodes.find(nodeId)
  if (node === null) throw new ApiError('not_found', `No node ${nodeId} is registered.`)
  return node
}

/** Whether a node is in the last generation, and in the next one as far as that is known. */
async function standingOf(c: HubContext, { nodeId }: Node) {
  const { validators, pendingGenerations } = c.var.services
  const [last, pending] = await Promise.all([validators.last(), pendingGenerations.find()])
  const has = (document: ValidatorGeneration | undefined) =>
    document?.validators.some(({ node_id }) => node_id === nodeId) === true
  return {
    hasBegun: last !== null,
    isHere: has(last?.document),
    isComing: has((pending ?? last)?.document),
  }
}

async function endKey(c: HubContext, nodeId: string, reason: string | null): Promise<void> {
  const { nodes, clock } = c.var.services
  await nodes.endKey(nodeId, { operator: sessionOf(c).address, reason }, await clock.now())
}

/** Deciding the same again changes nothing, and leaves no second note. */
async function decide(
  c: HubContext,
  { nodeId, publicKey }: Node,
  status: 'approved' | 'revoked',
  reason: string | null,
): Promise<Answer> {
  const { nodes, links, clock } = c.var.services
  await nodes.decide(nodeId, status, { operator: sessionOf(c).address, reason }, await clock.now())
  await links(publicKey).refresh()
  return json(nodeView(await requireNode(c, nodeId)))
}
