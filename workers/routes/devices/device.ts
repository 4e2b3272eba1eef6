import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { deviceLabelMax, deviceStatuses } from '../../../protocol/identity/index.ts'
import { differingCases } from '../../benchmarks/suite.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { line } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery, readsOn } from '../../http/pagination.ts'
import { callerOf, nodeOf, sessionOf, viewerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeviceGroupStore, groupedDevicesMax } from '../../stores/device-groups.ts'
import type { DeviceProfile } from '../../stores/device-profile.ts'
import type { Device } from '../../stores/devices.ts'
import {
  DeviceParams,
  DeviceProfileInput,
  DeviceView,
  deviceExample,
  deviceView,
  GroupId,
  hardwareExample,
  linkView,
  ownDeviceExample,
  systemExample,
} from './schema.ts'
import { deviceStatus } from './status.ts'

export const listDevices = defineRoute(
  {
    method: 'get',
    path: '/v1/me/devices',
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'List your devices, last bound first',
    auth: { session: true },
    description: readsOn('With `status`'),
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(deviceStatuses).optional(),
      group_id: GroupId.optional(),
    }),
    responses: onePage('DevicePage', DeviceView, ownDeviceExample),
  },
  async (c, { query: { status, group_id: groupId, ...query } }) => {
    const now = await c.var.services.clock.now()
    return answerPage(c, {
      list: `own-devices status=${status ?? ''} group=${groupId ?? ''}`,
      isOwn: true,
      query,
      by: ['boundAt', 'nodeId'],
      ...(status && { keep: (device: Device) => deviceStatus(device) === status }),
      fetch: (after, limit) => c.var.services.devices.list(callerOf(c), groupId, after, limit),
      view: (device: Device) => deviceView(device, sessionOf(c).address, now),
    })
  },
)

export const getDevice = defineRoute(
  {
    method: 'get',
    path: '/v1/devices/{node_id}',
    operationId: 'getDevice',
    tag: 'Devices',
    summary: 'Read a bound device',
    description: 'Its owner also sees its label, its hardware, the reason of a ban, and its WebSocket.',
    params: DeviceParams,
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The device.', DeviceView, deviceExample),
  },
  async (c, { params: { node_id } }) => {
    const device = await requireDevice(c, node_id)
    const viewer = viewerOf(c)
    const view = deviceView(device, viewer, await c.var.services.clock.now())
    // Asking wakes the object of the link, which a stranger must not.
    if (viewer !== device.owner) return json(view)
    return json({ ...view, ...linkView(await c.var.services.links(device.publicKey).status()) })
  },
)

export const updateDevice = defineRoute(
  {
    method: 'patch',
    path: '/v1/devices/{node_id}',
    operationId: 'updateDevice',
    tag: 'Devices',
    summary: 'Set the label or the group of your device',
    description:
      'A member that is left out stays as it is; null removes the label, or takes the device out of its group.',
    auth: { session: true },
    params: DeviceParams,
    json: {
      schema: z
        .strictObject({
          label: line(deviceLabelMax).nullable().optional(),
          group_id: GroupId.nullable().optional(),
        })
        .meta({ id: 'DeviceUpdate' }),
      example: { label: 'Under the desk' },
    },
    errors: ['not_found', 'not_owner', 'conflict'],
    responses: ok('The device as it is now.', DeviceView, ownDeviceExample),
  },
  async (c, { params: { node_id }, json: { label, group_id } }) => {
    const { address } = sessionOf(c)
    const { devices } = c.var.services
    if ((await requireDevice(c, node_id)).owner !== address)
      throw new ApiError('not_owner', `${node_id} is bound to another wallet.`)
    if (group_id !== undefined) await moveDevice(c, node_id, group_id)
    if (label !== undefined) await devices.setLabel(node_id, address, label)
    return json(deviceView(await requireDevice(c, node_id), address, await c.var.services.clock.now()))
  },
)

async function moveDevice(c: HubContext, nodeId: string, groupId: string | null): Promise<void> {
  const deviceGroups = c.var.services.store(DeviceGroupStore)
  const moved = await deviceGroups.move(sessionOf(c).address, nodeId, groupId, unixNow())
  if (moved === 'no_group') throw invalidField('group_id', 'is not a device group of yours')
  if (moved === 'full')
    throw new ApiError(
      'conflict',
      `The group has ${groupedDevicesMax} devices, which is the most; take one out.`,
    )
}

export const putDeviceProfile = defineRoute(
  {
    method: 'put',
    path: '/v1/devices/{node_id}/profile',
    operationId: 'putDeviceProfile',
    tag: 'Devices',
    summary: 'Report the profile of the signing device',
    description:
      'Replaces the previous profile. Fields that are left out count as unknown. Benchmark receipts that differ from those of `GET /v1/benchmarks/current` make the device `faulty` until it reports the expected receipts.',
    auth: { node: 'known_key' },
    params: DeviceParams,
    json: {
      schema: DeviceProfileInput,
      example: {
        ...systemExample,
        hardware: hardwareExample,
        benchmark: deviceExample.benchmark,
      },
    },
    errors: ['not_found'],
    responses: ok('The public view of the device.', DeviceView, deviceExample),
  },
  async (c, { params: { node_id }, json: profile }) => {
    if (nodeOf(c).nodeId !== node_id)
      throw new ApiError('forbidden', `Only ${node_id} itself can report its profile.`)
    const { os_version: osVersion, nodectl_version: nodectlVersion, miner_version, ...rest } = profile
    const { devices, links } = c.var.services
    const isFaulty = rest.benchmark && differingCases(rest.benchmark.cases).length > 0
    const reported = { osVersion, nodectlVersion, minerVersion: miner_version, ...rest }
    let device = await requireDevice(c, node_id)
    // A node reports again and again, and causes say since when its device is as it is.
    if (!isKnown(device, reported, isFaulty)) {
      await devices.setProfile(node_id, reported, isFaulty, unixNow())
      device = await requireDevice(c, node_id)
      if (rest.benchmark !== null) await links(device.publicKey).refresh()
    }
    return json(deviceView(device, null, await c.var.services.clock.now()))
  },
)

function isKnown(device: Device, reported: DeviceProfile, isFaulty: boolean | null): boolean {
  if (device.profileUpdatedAt === null) return false
  const isSame = ([name, value]: [string, unknown]) =>
    JSON.stringify(device[name as keyof DeviceProfile]) === JSON.stringify(value)
  return Object.entries(reported).every(isSame) && (isFaulty ?? isFaultyNow(device)) === isFaultyNow(device)
}

const isFaultyNow = ({ benchmarkFaultAt }: Device): boolean => benchmarkFaultAt !== null

/** @throws {@link ApiError} 404 `not_found` for a device that is not bound. */
async function requireDevice(c: HubContext, nodeId: string): Promise<Device> {
  const device = await c.var.services.devices.find(nodeId)
  if (device === null) throw unbound(nodeId)
  return device
}

export const unbound = (nodeId: string): ApiError =>
  new ApiError('not_found', `No device ${nodeId} is bound to a wallet.`)
