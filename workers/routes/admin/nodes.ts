import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { nodeRoles, nodeStatuses } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { PathNodeId } from '../../http/formats.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Node } from '../../stores/nodes.ts'
import { NodeView, nodeExample, nodeView } from '../nodes/schema.ts'
import { Reason } from './schema.ts'

const params = z.object({ node_id: PathNodeId.meta({ example: nodeExample.node_id }) })
const Decision = z.strictObject({ reason: Reason }).meta({ id: 'NodeDecision' })

export const listNodes = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/nodes',
    operationId: 'listNodes',
    tag: 'Operator',
    summary: 'List the registered nodes, newest first',
    auth: { operator: true },
    query: z.strictObject({
      ...pageQuery,
      role: z.enum(nodeRoles).optional(),
      status: z.enum(nodeStatuses).optional(),
    }),
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(NodeView).meta({ id: 'NodePage' }),
        example: { items: [nodeExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const { role, status } = query
    const { rows, next_cursor } = await paginate(c, {
      list: `nodes role=${role ?? ''} status=${status ?? ''}`,
      query,
      position: ({ registeredAt, nodeId }: Node): [number, string] => [registeredAt, nodeId],
      fetch: (after, limit) =>
        c.var.services.nodes.list(
          { role, status },
          after && { registeredAt: after[0], nodeId: after[1] },
          limit,
        ),
    })
    return json({ items: rows.map(nodeView), next_cursor })
  },
)

export const approveNode = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/nodes/{node_id}/approve',
    operationId: 'approveNode',
    tag: 'Operator',
    summary: 'Let a node count in its role',
    auth: { operator: true },
    params,
    json: { schema: Decision, example: {}, optional: true },
    errors: ['not_found'],
    responses: { 200: { description: 'As decided.', schema: NodeView, example: nodeExample } },
  },
  (c, { params: { node_id }, json: { reason } }) => decide(c, node_id, 'approved', reason),
)

export const revokeNode = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/nodes/{node_id}/revoke',
    operationId: 'revokeNode',
    tag: 'Operator',
    summary: 'Shut a node out',
    description:
      'It no longer counts, cannot register again, and its device shows as banned and loses its socket to the relay.',
    auth: { operator: true },
    params,
    json: { schema: Decision, example: { reason: 'Signed two results for one task.' }, optional: true },
    errors: ['not_found'],
    responses: {
      200: { description: 'As decided.', schema: NodeView, example: { ...nodeExample, status: 'revoked' } },
    },
  },
  (c, { params: { node_id }, json: { reason } }) => decide(c, node_id, 'revoked', reason),
)

/** Deciding the same again changes nothing, and leaves no second note. */
async function decide(
  c: HubContext,
  nodeId: string,
  status: 'approved' | 'revoked',
  reason: string | null,
): Promise<Answer> {
  const { nodes, links } = c.var.services
  await nodes.decide(nodeId, status, { operator: sessionOf(c).address, reason }, unixNow())
  const node = await nodes.find(nodeId)
  if (node === null) throw new ApiError('not_found', `No node ${nodeId} is registered.`)
  await links.refresh(node.publicKey)
  return json(nodeView(node))
}
