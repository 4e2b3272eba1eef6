import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json, noContent } from '../../http/answer.ts'
import { line, NodeId, PathNodeId, Timestamp } from '../../http/formats.ts'
import { callerOf, sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok, reply } from '../../route.ts'
import {
  type DeviceGroup,
  DeviceGroupStore,
  deviceGroupsMax,
  groupedDevicesMax,
} from '../../stores/device-groups.ts'
import { deviceExample, GroupId } from './schema.ts'

const members = z
  .array(PathNodeId)
  .max(groupedDevicesMax, `must have at most ${groupedDevicesMax} items`)
  .refine((ids) => new Set(ids).size === ids.length, 'must name each device once')
  .describe('Devices of yours. A device that is in another group leaves it.')

const DeviceGroupInput = z
  .strictObject({ name: line(64, 1), node_ids: members.default([]) })
  .meta({ id: 'DeviceGroupInput' })

const DeviceGroupPut = z.strictObject({ name: line(64, 1), node_ids: members }).meta({ id: 'DeviceGroupPut' })

const DeviceGroupView = z
  .strictObject({
    group_id: z.string(),
    name: z.string(),
    node_ids: z.array(NodeId).describe('Bound devices, last bound first.'),
    updated_at: Timestamp,
  })
  .meta({ id: 'DeviceGroup' })

const groupExample: z.output<typeof DeviceGroupView> = {
  group_id: 'Zk3v9QpXw7Lr',
  name: 'Office',
  node_ids: [deviceExample.node_id],
  updated_at: example.time,
}
const body = { name: groupExample.name, node_ids: groupExample.node_ids }

const groupView = ({ groupId, name, nodeIds, updatedAt }: DeviceGroup): z.output<typeof DeviceGroupView> => ({
  group_id: groupId,
  name,
  node_ids: nodeIds,
  updated_at: updatedAt,
})

const GroupParams = z.object({
  group_id: GroupId.meta({ example: groupExample.group_id }),
})

const path = '/v1/me/device-groups'
const pathOfOne = `${path}/{group_id}` as const

export const listDeviceGroups = defineRoute(
  {
    method: 'get',
    path,
    operationId: 'listDeviceGroups',
    tag: 'Devices',
    summary: 'List your groups of devices',
    description: 'A device is in one group at most.',
    auth: { session: true },
    responses: ok(
      'All groups.',
      z.strictObject({ items: z.array(DeviceGroupView) }).meta({ id: 'DeviceGroupList' }),
      { items: [groupExample] },
    ),
  },
  async (c) =>
    json({ items: (await c.var.services.store(DeviceGroupStore).list(callerOf(c))).map(groupView) }),
)

export const createDeviceGroup = defineRoute(
  {
    method: 'post',
    path,
    operationId: 'createDeviceGroup',
    tag: 'Devices',
    summary: 'Make a group of devices',
    description: `A wallet has at most ${deviceGroupsMax} groups, and a group at most ${groupedDevicesMax} devices.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: { schema: DeviceGroupInput, example: body },
    errors: ['conflict'],
    responses: reply(201, 'The group.', DeviceGroupView, groupExample, { Location: 'The list of groups.' }),
  },
  async (c, { json: { name, node_ids: nodeIds } }) => {
    const { derived } = c.var.services
    const deviceGroups = c.var.services.store(DeviceGroupStore)
    const { address } = sessionOf(c)
    const groupId = derived.alphanumerics(c.var.operation, 'device group id', 12)
    const made = c.var.operation.isRetry ? await deviceGroups.find(address, groupId) : null
    if (made === null) {
      await requireOwn(c, nodeIds)
      const created = await deviceGroups.create(address, groupId, { name, nodeIds }, unixNow())
      if (created === 'full')
        throw new ApiError('conflict', `A wallet has at most ${deviceGroupsMax} groups; delete one first.`)
    }
    return json(groupView(made ?? (await requireGroup(c, groupId))), 201, { Location: path })
  },
)

export const putDeviceGroup = defineRoute(
  {
    method: 'put',
    path: pathOfOne,
    operationId: 'putDeviceGroup',
    tag: 'Devices',
    summary: 'Replace the name and the devices of your group',
    description: 'A device that is in another group leaves it.',
    auth: { session: true },
    params: GroupParams,
    json: { schema: DeviceGroupPut, example: body },
    errors: ['not_found'],
    responses: ok('The group.', DeviceGroupView, groupExample),
  },
  async (c, { params: { group_id }, json: { name, node_ids: nodeIds } }) => {
    const { address } = sessionOf(c)
    await requireGroup(c, group_id)
    await requireOwn(c, nodeIds)
    await c.var.services.store(DeviceGroupStore).replace(address, group_id, { name, nodeIds }, unixNow())
    return json(groupView(await requireGroup(c, group_id)))
  },
)

export const deleteDeviceGroup = defineRoute(
  {
    method: 'delete',
    path: pathOfOne,
    operationId: 'deleteDeviceGroup',
    tag: 'Devices',
    summary: 'Delete your group; its devices stay',
    description: 'They are in no group then. Bindings and subscriptions stay as they are.',
    auth: { session: true },
    params: GroupParams,
    errors: ['not_found'],
    responses: { 204: { description: 'Deleted.' } },
  },
  async (c, { params: { group_id } }) => {
    const deleted = await c.var.services.store(DeviceGroupStore).delete(sessionOf(c).address, group_id)
    if (deleted === 'missing') throw unknownGroup(group_id)
    return noContent()
  },
)

async function requireOwn(c: HubContext, nodeIds: readonly string[]): Promise<void> {
  const deviceGroups = c.var.services.store(DeviceGroupStore)
  const [foreign] = await deviceGroups.foreign(sessionOf(c).address, nodeIds)
  if (foreign !== undefined)
    throw invalidField(
      `node_ids[${nodeIds.indexOf(foreign)}]`,
      'is not a device that is bound to your wallet',
    )
}

/** @throws {@link ApiError} 404 `not_found`. */
async function requireGroup(c: HubContext, groupId: string): Promise<DeviceGroup> {
  const deviceGroups = c.var.services.store(DeviceGroupStore)
  const group = await deviceGroups.find(sessionOf(c).address, groupId)
  if (group === null) throw unknownGroup(groupId)
  return group
}

const unknownGroup = (groupId: string) => new ApiError('not_found', `You have no device group ${groupId}.`)
