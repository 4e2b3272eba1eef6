import * as z from 'zod'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
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
    responses: onePage('DevicePage', DeviceView, ownDeviceExample),
  },
  (c, { query }) =>
    answerPage(c, {
      list: 'own-devices',
      isOwn: true,
      query,
      by: ['boundAt', 'nodeId'],
      fetch: (after, limit) => c.var.services.devices.list(callerOf(c), after, limit),
      view: (device: Device) => deviceView(device, sessionOf(c).address),
    }),
)
