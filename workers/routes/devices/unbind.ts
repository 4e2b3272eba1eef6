import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { Address, NodeId, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceRecordInput, recordExample, requireRecord } from './record.ts'

const Unbound = z
  .strictObject({ node_id: NodeId, owner: Address, unbound_at: Timestamp })
  .meta({ id: 'UnboundDevice' })

export const unbindDevice = defineRoute(
  {
    method: 'post',
    path: '/v1/devices/unbind',
    operationId: 'unbindDevice',
    tag: 'Devices',
    summary: 'Unbind a device from its wallet',
    description:
      'Signed by the owner, by the device, or by both. Subscriptions of the device continue, but committees leave them out.',
    stores: 'records',
    json: { schema: DeviceRecordInput, example: recordExample('unbind') },
    signed: true,
    errors: ['invalid_binding'],
    responses: ok('Unbound. The same record again gets the same answer.', Unbound, {
      node_id: recordExample('unbind').node_id,
      owner: recordExample('unbind').owner,
      unbound_at: recordExample('unbind').issued_at,
    }),
  },
  async (c, { json: posted }) => {
    const { devices, clock } = c.var.services
    const now = await clock.now()
    const record = requireRecord(c, posted, 'unbind', now)
    const unboundAt = await devices.unbind(record, now)
    if (unboundAt === null)
      throw new ApiError('invalid_binding', `${record.nodeId} is not bound to ${record.owner}.`)
    return json({ node_id: record.nodeId, owner: record.owner, unbound_at: unboundAt })
  },
)
