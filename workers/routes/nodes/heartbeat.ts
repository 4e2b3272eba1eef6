import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { nodeStatuses } from '../../../protocol/identity/index.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { NodeId, Timestamp } from '../../http/formats.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { HeartbeatInput, nodeExample } from './schema.ts'

/** A node that misses three in a row counts as offline. */
const heartbeatSeconds = 30

/** For `CLOCK=chain`, where time leaps: a node's signatures are refused until the node has followed the leap. */
const leapingHeartbeatSeconds = 5

const Heard = z
  .strictObject({
    node_id: NodeId,
    status: z.enum(nodeStatuses),
    heard_at: Timestamp,
    next_in_secs: z.int().describe('Seconds until the next expected heartbeat.'),
  })
  .meta({ id: 'HeartbeatAnswer' })

export const heartbeat = defineRoute(
  {
    method: 'post',
    path: '/v1/nodes/heartbeat',
    operationId: 'heartbeat',
    tag: 'Nodes',
    summary: 'Send a heartbeat of the signing node',
    description: `Sent every ${heartbeatSeconds} s, or ${leapingHeartbeatSeconds} s on a local network; see \`next_in_secs\`. After an answer of 404, or of 401 with the reason unknown_key, the node must register first.`,
    auth: { node: 'known_key' },
    json: { schema: HeartbeatInput, example: { status: 'online' } },
    errors: ['not_found'],
    responses: ok('Received.', Heard, {
      node_id: nodeExample.node_id,
      status: 'approved',
      heard_at: nodeExample.registered_at,
      next_in_secs: heartbeatSeconds,
    }),
  },
  async (c, { json: { status: health } }) => {
    const { nodeId } = nodeOf(c)
    const now = unixNow()
    const status = await c.var.services.nodes.beat(nodeId, health, now)
    if (status === null)
      throw new ApiError('not_found', `${nodeId} is not registered; POST /v1/nodes/register registers it.`)
    const seconds = c.var.settings.CLOCK === 'chain' ? leapingHeartbeatSeconds : heartbeatSeconds
    return json({ node_id: nodeId, status, heard_at: now, next_in_secs: seconds })
  },
)
