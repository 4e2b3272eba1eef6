import * as z from 'zod'
import { leaseStates } from '../../../durable-objects/round/states.ts'
import { json } from '../../http/answer.ts'
import { PathNodeId, PathProject } from '../../http/formats.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Lease } from '../../stores/proofs.ts'
import { LeaseView, leaseExample, leaseView } from './schema.ts'

export const listLeases = defineRoute(
  {
    method: 'get',
    path: '/v1/me/leases',
    operationId: 'listLeases',
    tag: 'Work',
    summary: 'List the tasks of your devices, newest first',
    description: 'A task counts for the wallet to which the device was bound when its committee was drawn.',
    auth: { session: true },
    query: z.strictObject({
      ...pageQuery,
      state: z.enum(leaseStates).optional(),
      node_id: PathNodeId.optional(),
      project_id: PathProject.optional(),
    }),
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(LeaseView).meta({ id: 'LeasePage' }),
        example: { items: [leaseExample], next_cursor: null },
      },
    },
  },
  async (c, { query: { state, node_id: nodeId, project_id: projectId, ...query } }) => {
    const owner = callerOf(c)
    const { rows, next_cursor } = await paginate(c, {
      list: `leases state=${state ?? ''} node=${nodeId ?? ''} project=${projectId ?? ''}`,
      isOwn: true,
      query,
      position: ({ createdAt, roundId, position }: Lease): [number, string, number] => [
        createdAt,
        roundId,
        position,
      ],
      fetch: (after, limit) =>
        c.var.services.proofs.leases(
          owner,
          { state, nodeId, projectId },
          after && { createdAt: after[0], roundId: after[1], position: after[2] },
          limit,
        ),
    })
    return json({ items: rows.map(leaseView), next_cursor })
  },
)
