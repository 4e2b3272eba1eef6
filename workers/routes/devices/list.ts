import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { pageOf, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Device } from '../../stores/devices.ts'
import { DeviceView, deviceView, ownDeviceExample } from './schema.ts'

export const listDevices = defineRoute(
  {
    method: 'get',
    path: '/v1/me/devices',
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'List your devices, last bound first',
    auth: { session: true },
    query: z.strictObject(pageQuery),
    responses: {
      200: {
        description: 'One page.',
        schema: pageOf(DeviceView).meta({ id: 'DevicePage' }),
        example: { items: [ownDeviceExample], next_cursor: null },
      },
    },
  },
  async (c, { query }) => {
    const caller = callerOf(c)
    const { rows, next_cursor } = await paginate(c, {
      list: 'own-devices',
      isOwn: true,
      query,
      position: ({ boundAt, nodeId }: Device): [number, string] => [boundAt, nodeId],
      fetch: (after, limit) =>
        c.var.services.devices.list(caller, after && { boundAt: after[0], nodeId: after[1] }, limit),
    })
    const { address } = sessionOf(c)
    return json({ items: rows.map((device) => deviceView(device, address)), next_cursor })
  },
)
