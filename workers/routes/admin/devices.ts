import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { NodeId, Timestamp } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceParams, deviceExample } from '../devices/schema.ts'
import { ofOperators, Reason } from './schema.ts'

const BanView = z
  .strictObject({
    node_id: NodeId,
    banned: z.boolean(),
    banned_at: Timestamp.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'DeviceBan' })

export const banDevice = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/devices/{node_id}/ban',
    operationId: 'banDevice',
    summary: 'Ban or readmit a device',
    description:
      'The hub closes the socket of a banned device (close code 4003), refuses new sockets, sends it no offers and leaves it out of further committee sets, also after it is bound to another wallet. From the ban until it has opened its next socket it owes nothing for its leases, and it is shown as offline once it is readmitted. Banning a banned device changes nothing, and nor does readmitting one that is not banned. Its owner sees the reason.',
    ...ofOperators,
    params: DeviceParams,
    json: {
      schema: z.strictObject({ banned: z.boolean(), reason: Reason }).meta({ id: 'AdminBan' }),
      example: { banned: true, reason: 'Sends votes that nobody asked for.' },
    },
    errors: ['not_found'],
    responses: ok('The ban of the device.', BanView, {
      node_id: deviceExample.node_id,
      banned: true,
      banned_at: deviceExample.created_at,
      reason: 'Sends votes that nobody asked for.',
    }),
  },
  async (c, { params: { node_id }, json: { banned, reason } }) => {
    const { devices, links, clock } = c.var.services
    const decision = { operator: sessionOf(c).address, reason }
    const ban = await devices.setBanned(node_id, banned, decision, await clock.now())
    if (ban === null) throw new ApiError('not_found', `No device ${node_id} was ever bound to a wallet.`)
    // Repeated also where nothing changed: an earlier try may have ended before it.
    await links(ban.publicKey).refresh()
    return json({
      node_id,
      banned: ban.bannedAt !== null,
      banned_at: ban.bannedAt,
      reason: ban.reason,
    })
  },
)
