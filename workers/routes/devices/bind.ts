import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { viewerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceRecordInput, recordExample, requireRecord } from './record.ts'
import { DeviceView, deviceExample, deviceView } from './schema.ts'

export const bindDevice = defineRoute(
  {
    method: 'post',
    path: '/v1/devices/bind',
    operationId: 'bindDevice',
    tag: 'Devices',
    summary: 'Bind a device to a wallet',
    description:
      'The record has the signatures of both, so the call needs no credential. Posting the active record again changes nothing. A newer record of the same owner replaces it.',
    stores: 'records',
    json: { schema: DeviceRecordInput, example: recordExample('bind') },
    signed: true,
    errors: ['invalid_binding', 'conflict'],
    responses: ok('Bound.', DeviceView, deviceExample),
  },
  async (c, { json: posted }) => {
    const { devices, clock } = c.var.services
    const now = await clock.now()
    const record = requireRecord(c, posted, 'bind', now)
    const outcome = await devices.bind(record, now)
    const device = outcome === 'bound' ? await devices.find(record.nodeId) : null
    if (device === null)
      throw new ApiError(
        'conflict',
        'This device is bound to another wallet, which must unbind it first, or this record was used before: sign a fresh one.',
      )
    return json(deviceView(device, viewerOf(c)))
  },
)
