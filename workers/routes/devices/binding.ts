import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { PathBytes32 } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceRecordView, recordExample, recordView } from './record.ts'

export const getBinding = defineRoute(
  {
    method: 'get',
    path: '/v1/bindings/{binding_hash}',
    operationId: 'getBinding',
    tag: 'Devices',
    summary: 'Read a record that bound or unbound a device',
    description: 'With its signatures, so that anybody can check it.',
    params: z.object({ binding_hash: PathBytes32.meta({ example: example.manifestAddress }) }),
    cache: { maxAgeSeconds: 31_536_000, immutable: true },
    errors: ['not_found'],
    responses: ok('The record.', DeviceRecordView, recordExample('bind')),
  },
  async (c, { params: { binding_hash } }) => {
    const record = await c.var.services.devices.findBinding(binding_hash)
    if (record === null) throw new ApiError('not_found', `The record ${binding_hash} does not exist.`)
    return json(recordView(record))
  },
)
