import { describe, expect, test } from 'vitest'
import { createMiner, createNode, deviceRecord, type TestNode } from '../../test/callers.ts'
import {
  bodyOf,
  type Client,
  client,
  expectAnswer,
  expectInvalid,
  expectRefusal,
  itemsOf,
  statusesOf,
} from '../../test/client.ts'
import { runSql } from '../../test/tables.ts'

const path = '/v1/me/device-groups'
const list = (caller: Client) => itemsOf(caller.get(path))
const make = (caller: Client, name: string, node_ids: string[] = []) =>
  bodyOf(caller.post(path, { name, node_ids }))
const patch = (caller: Client, nodeId: string, json: object) =>
  caller.fetch(`/v1/devices/${nodeId}`, { method: 'PATCH', json })
const devicesOf = async (caller: Client, query: string) =>
  (await itemsOf<{ node_id: string }>(caller.get(`/v1/me/devices?${query}`))).map(({ node_id }) => node_id)

/** A wallet with `size` devices. */
async function createFleet(size: number) {
  const { owner, device } = await createMiner()
  const others = Array.from({ length: size - 1 }, () => createNode())
  for (const other of others)
    expect((await client().post('/v1/devices/bind', deviceRecord(owner, other))).status).toBe(200)
  return { owner, caller: owner.client, devices: [device, ...others] as TestNode[] }
}

describe('device groups', () => {
  test('are created, listed, replaced and deleted; a device is in at most one', async () => {
    const { caller, devices } = await createFleet(3)
    const [a = '', b = '', c = ''] = devices.map(({ nodeId }) => nodeId)
    const office = await make(caller, 'Office', [a, b])
    expect(new Set(office.node_ids)).toEqual(new Set([a, b]))
    const garage = await make(caller, 'Garage', [b, c])
    expect(await list(caller)).toHaveLength(2)
    expect(await devicesOf(caller, `group_id=${office.group_id}`)).toEqual([a])
    await expectAnswer(caller.put(`${path}/${office.group_id}`, { name: 'Office 2', node_ids: [c] }), 200, {
      name: 'Office 2',
      node_ids: [c],
    })
    expect(await devicesOf(caller, `group_id=${garage.group_id}`)).toEqual([b])
    await expectAnswer(caller.get(`/v1/devices/${a}`), 200, { group_id: null })
    await expectAnswer(caller.get(`/v1/devices/${c}`), 200, { group_id: office.group_id })
    expect(await bodyOf(client().get(`/v1/devices/${c}`))).not.toHaveProperty('group_id')
    expect((await caller.delete(`${path}/${office.group_id}`)).status).toBe(204)
    await expectAnswer(caller.get(`/v1/devices/${c}`), 200, { group_id: null })
    expect((await list(caller)).map(({ name }) => name)).toEqual(['Garage'])
  })

  test('PATCH of a device sets and removes its group, and keeps its label', async () => {
    const { caller, devices } = await createFleet(1)
    const [{ nodeId }] = devices as [TestNode]
    const { group_id } = await make(caller, 'Office')
    await expectAnswer(patch(caller, nodeId, { label: 'Desk', group_id }), 200, { label: 'Desk', group_id })
    await expectAnswer(patch(caller, nodeId, { label: 'Shelf' }), 200, { label: 'Shelf', group_id })
    await expectAnswer(patch(caller, nodeId, { group_id: null }), 200, { label: 'Shelf', group_id: null })
    await expectAnswer(patch(caller, nodeId, {}), 200, { label: 'Shelf' })
    await expectInvalid(patch(caller, nodeId, { group_id: 'A'.repeat(12) }), 'group_id')
  })

  test('the list of devices is filtered by status, too', async () => {
    const { caller, devices } = await createFleet(2)
    const [a = '', b = ''] = devices.map(({ nodeId }) => nodeId)
    await runSql("UPDATE devices SET link_state = 'online' WHERE node_id = ?", b)
    expect(await devicesOf(caller, 'status=online')).toEqual([b])
    expect(await devicesOf(caller, 'status=offline')).toEqual([a])
    expect(await devicesOf(caller, 'status=banned')).toEqual([])
    await expectInvalid(caller.get('/v1/me/devices?status=away'), 'status')
  })

  test('of another wallet are 404 not_found, and devices of another wallet are refused', async () => {
    const [ada, bob] = [await createFleet(1), await createFleet(1)]
    const [{ nodeId }] = ada.devices as [TestNode]
    const { group_id } = await make(ada.caller, 'Office', [nodeId])
    const body = { name: 'Mine', node_ids: [] }
    await expectRefusal(bob.caller.put(`${path}/${group_id}`, body), '404 not_found')
    await expectRefusal(bob.caller.delete(`${path}/${group_id}`), '404 not_found')
    await expectInvalid(bob.caller.post(path, { ...body, node_ids: [nodeId] }), 'node_ids[0]')
    await expectInvalid(bob.caller.post(path, { ...body, node_ids: [nodeId, nodeId] }), 'node_ids')
    const [{ nodeId: own }] = bob.devices as [TestNode]
    await expectInvalid(patch(bob.caller, own, { group_id }), 'group_id')
    expect(await devicesOf(bob.caller, `group_id=${group_id}`)).toEqual([])
    expect(await list(ada.caller)).toMatchObject([{ name: 'Office', node_ids: [nodeId] }])
  })

  test('lose a device that gets another owner', async () => {
    const { owner, caller, devices } = await createFleet(1)
    const [device] = devices as [TestNode]
    const { group_id } = await make(caller, 'Office', [device.nodeId])
    await client().post('/v1/devices/unbind', deviceRecord(owner, device, { action: 'unbind' }))
    expect(await list(caller)).toMatchObject([{ group_id, node_ids: [] }])
    const { owner: other } = await createMiner()
    await client().post('/v1/devices/bind', deviceRecord(other, device))
    await expectAnswer(other.client.get(`/v1/devices/${device.nodeId}`), 200, { group_id: null })
  })

  test('409 conflict: more groups than the limit, also in a race, and more devices than a group may have', async () => {
    const { owner, caller, devices } = await createFleet(1)
    const [{ nodeId }] = devices as [TestNode]
    await runSql(
      `INSERT INTO device_groups (owner, group_id, name, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 48)
        SELECT ?, printf('%012d', i), 'Group', 1, 1 FROM n`,
      owner.address,
    )
    const racing = Array.from({ length: 6 }, (_, i) => caller.post(path, { name: `Group ${i}` }))
    expect((await statusesOf(racing)).sort()).toEqual([201, 201, 409, 409, 409, 409])
    await runSql(
      `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at, group_id)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT 'grouped-' || i, ? || i, ?2, '', 1, printf('%012d', 1) FROM n`,
      ...[owner.address, owner.address],
    )
    await expectRefusal(patch(caller, nodeId, { group_id: '000000000001' }), '409 conflict')
    await expectAnswer(patch(caller, nodeId, { group_id: '000000000002' }), 200, { group_id: '000000000002' })
  })
})
