import { describe, expect, test } from 'vitest'
import {
  createMiner,
  createNode,
  createOperator,
  createOwner,
  deviceRecord,
  insertNode,
  type TestNode,
} from '../../test/callers.ts'
import {
  bodyOf,
  type Client,
  client,
  expectAnswer,
  expectInvalid,
  expectRefusal,
  pagesOf,
  statusAndBody,
  statusesOf,
} from '../../test/client.ts'
import type { Json } from '../../test/known-answers.ts'
import { createDescribedMiner, suitableProfile as profile } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

const bind = (record: object) => client().post('/v1/devices/bind', record)
const unbind = (record: object) => client().post('/v1/devices/unbind', record)
const askMessage = (owner: string, public_key: string) =>
  client().post('/v1/devices/binding-message', { owner, public_key })
const get = (nodeId: string, { get }: Pick<Client, 'get'> = client()) => get(`/v1/devices/${nodeId}`)
const read = (nodeId: string, caller?: Client) => bodyOf(get(nodeId, caller))
const patch = ({ client: { fetch } }: { client: Client }, nodeId: string, json: object) =>
  fetch(`/v1/devices/${nodeId}`, { method: 'PATCH', json })
const putProfile = (device: TestNode, change: object = {}, nodeId = device.nodeId) =>
  device.call('PUT', `/v1/devices/${nodeId}/profile`, { ...profile, ...change })
const withBenchmark = (change: object) => ({ benchmark: { ...profile.benchmark, ...change } })

describe('binding', () => {
  test('the issued text, signed by wallet and device, binds them; everybody can read the record', async () => {
    const owner = await createOwner()
    const device = createNode()
    const issued = await bodyOf(askMessage(owner.address, device.publicKey))
    const lines: string[] = issued.message.split('\n').slice(-2)
    const [issuedAt = '', nonce = ''] = lines.map((line) => line.split(': ')[1])
    const record = deviceRecord(owner, device, { issued_at: Number(issuedAt), nonce })
    expect(issued).toEqual({ message: record.message, binding_hash: record.binding_hash })

    expect(await statusAndBody(bind(record))).toEqual([
      200,
      {
        node_id: device.nodeId,
        public_key: device.publicKey,
        owner: owner.address,
        status: 'offline',
        class: null,
        platform: null,
        os_version: null,
        arch: null,
        engine: null,
        nodectl_version: null,
        status_reason: null,
        connected_since: null,
        benchmark: null,
        binding_hash: record.binding_hash,
        created_at: expect.any(Number),
        miner_version: null,
        region: null,
        attestation: null,
        subscriptions: [],
        units_7d: 0,
        profile_updated_at: null,
        last_seen_at: null,
      },
    ])
    const kept = await client().get(`/v1/bindings/${record.binding_hash}`)
    expect(await kept.json()).toEqual(record)
    expect(kept.headers.get('cache-control')).toContain('immutable')
    expect((await bind(record)).status).toBe(200)
  })

  test('a newer record of the same owner replaces the active one, and keeps label and profile', async () => {
    const { owner, device } = await createDescribedMiner()
    const first = await read(device.nodeId)
    await patch(owner, device.nodeId, { label: 'Desk' })
    const record = deviceRecord(owner, device)
    expect((await bind(record)).status).toBe(200)
    expect(await read(device.nodeId, owner.client)).toMatchObject({
      binding_hash: record.binding_hash,
      label: 'Desk',
      class: 'desktop',
    })
    const replaced = await bodyOf(client().get(`/v1/bindings/${first.binding_hash}`))
    await expectRefusal(bind(replaced as object), '409 conflict')
  })

  test('409 conflict: bound to another wallet; unbinding frees the device and deletes label and profile', async () => {
    const { owner, device } = await createDescribedMiner()
    await patch(owner, device.nodeId, { label: 'Desk' })
    const other = await createOwner()
    const record = deviceRecord(other, device)
    await expectRefusal(bind(record), '409 conflict')
    expect((await client().get(`/v1/bindings/${record.binding_hash}`)).status).toBe(404)
    expect((await unbind(deviceRecord(owner, device, { action: 'unbind' }))).status).toBe(200)
    expect((await bind(record)).status).toBe(200)
    expect(await read(device.nodeId, other.client)).toMatchObject({
      owner: other.address,
      label: null,
      hardware: null,
      class: null,
      profile_updated_at: null,
    })
  })

  test('exactly one of the wallets that race for a device gets it', async () => {
    const device = createNode()
    const owners = await Promise.all(Array.from({ length: 6 }, () => createOwner()))
    const records = owners.map((owner) => deviceRecord(owner, device))
    const statuses = await statusesOf(records.map(bind))
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409])
    const { binding_hash } = await read(device.nodeId)
    const kept = await Promise.all(records.map((one) => client().get(`/v1/bindings/${one.binding_hash}`)))
    expect(kept.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(records.findIndex((one) => one.binding_hash === binding_hash)).toBe(
      kept.findIndex(({ status }) => status === 200),
    )
  })

  test('one record posted ten times at once binds once', async () => {
    const owner = await createOwner()
    const record = deviceRecord(owner, createNode())
    expect(await statusesOf(Array.from({ length: 10 }, () => bind(record)))).toEqual(Array(10).fill(200))
  })

  type SignedRecord = ReturnType<typeof deviceRecord>
  test.each<[string, string, (record: SignedRecord) => object]>([
    ['another hash', '422 invalid_binding', (r) => ({ ...r, binding_hash: `0x${'ab'.repeat(32)}` })],
    ['an empty signature', '422 bad_signature', (r) => ({ ...r, owner_signature: `0x${'00'.repeat(65)}` })],
    ['an upper-case owner', '400 invalid_field', (r) => ({ ...r, owner: r.owner.toUpperCase() })],
    ['an unknown field', '400 invalid_field', (r) => ({ ...r, more: 1 })],
    ['no message', '400 invalid_field', ({ message: _, ...r }) => r],
  ])('refuses %s: %s', async (_, refusal, change) => {
    const record = deviceRecord(await createOwner(), createNode())
    await expectRefusal(bind(change(record)), refusal)
    expect((await client().get(`/v1/bindings/${record.binding_hash}`)).status).toBe(404)
  })

  test('400 invalid_field: a weak key, under which every signature verifies, gets no text', async () => {
    const { address } = await createOwner()
    await expectInvalid(askMessage(address, `0x01${'00'.repeat(31)}`), 'public_key')
  })
})

describe('unbinding', () => {
  test.each([
    ['the owner', { node: false }],
    ['the device', { owner: false }],
    ['both', {}],
  ])('is signed by %s, and posting it again changes nothing', async (_, signers) => {
    const { owner, device } = await createMiner()
    const record = deviceRecord(owner, device, { action: 'unbind' }, signers)
    const first = await unbind(record)
    const answer = await first.json()
    expect([first.status, answer]).toEqual([
      200,
      { node_id: device.nodeId, owner: owner.address, unbound_at: expect.any(Number) },
    ])
    expect((await get(device.nodeId)).status).toBe(404)
    expect(await bodyOf(client().get(`/v1/bindings/${record.binding_hash}`))).toEqual(record)
    await bind(deviceRecord(owner, device))
    expect(await bodyOf(unbind(record))).toEqual(answer)
    expect((await get(device.nodeId)).status).toBe(200)
  })

  test('a record of a previous binding cannot bind again', async () => {
    const owner = await createOwner()
    const device = createNode()
    const record = deviceRecord(owner, device)
    await bind(record)
    await unbind(deviceRecord(owner, device, { action: 'unbind' }))
    await expectRefusal(bind(record), '409 conflict')
    expect((await bind(deviceRecord(owner, device))).status).toBe(200)
  })

  test('422 invalid_binding: not bound, bound to another wallet, or a record for the other action', async () => {
    const { owner, device } = await createMiner()
    const stranger = await createOwner()
    const refused = [
      deviceRecord(owner, createNode(), { action: 'unbind' }),
      deviceRecord(stranger, device, { action: 'unbind' }, { node: false }),
      deviceRecord(owner, device),
      deviceRecord(owner, device, { action: 'unbind' }, { node: false, owner: false }),
    ]
    for (const record of refused) await expectRefusal(unbind(record), '422 invalid_binding')
    await expectRefusal(bind(deviceRecord(owner, device, { action: 'unbind' })), '422 invalid_binding')
    expect((await get(device.nodeId)).status).toBe(200)
  })

  test('422 bad_signature: one of two signatures does not verify', async () => {
    const { owner, device } = await createMiner()
    const record = deviceRecord(owner, device, { action: 'unbind' })
    const forged = { ...record, node_signature: `0x${'11'.repeat(64)}` }
    await expectRefusal(unbind(forged), '422 bad_signature')
    expect((await get(device.nodeId)).status).toBe(200)
  })

  test('one of several racing records ends the binding, and the others get 422', async () => {
    const { owner, device } = await createMiner()
    const records = Array.from({ length: 5 }, () => deviceRecord(owner, device, { action: 'unbind' }))
    const statuses = await statusesOf(records.map(unbind))
    expect(statuses.sort()).toEqual([200, 422, 422, 422, 422])
  })
})

describe('a device', () => {
  test('shows its profile, with label and hardware for its owner only', async () => {
    const { owner, device } = await createMiner()
    await expectAnswer(putProfile(device), 200, { class: 'desktop', engine: 'native', os_version: null })
    await patch(owner, device.nodeId, { label: 'Desk' })

    const unknown = { cpu_model: null, cpu_threads: null, gpu: null, network: null }
    expect(await read(device.nodeId, owner.client)).toMatchObject({
      label: 'Desk',
      hardware: { ...profile.hardware, ...unknown, battery: null, os: null, arch: null },
      benchmark: profile.benchmark,
      profile_updated_at: expect.any(Number),
    })
    for (const caller of [client(), (await createOwner()).client]) {
      const seen = await read(device.nodeId, caller)
      expect(seen).not.toHaveProperty('label')
      expect(seen).not.toHaveProperty('hardware')
    }
    await putProfile(device, { hardware: null, benchmark: null })
    expect(await read(device.nodeId, owner.client)).toMatchObject({ hardware: null, benchmark: null })
  })

  test('has the state of its link; faults override it, and bans override faults', async () => {
    const { device } = await createMiner()
    await insertNode(device)
    const state = async () => {
      const { status, status_reason } = await read(device.nodeId)
      return [status, status_reason]
    }
    const set = (column: string, value: string | number) =>
      runSql(`UPDATE devices SET ${column} = ? WHERE node_id = ?`, value, device.nodeId)
    const operator = await createOperator()
    expect(await state()).toEqual(['offline', null])
    for (const [change, status, reason] of [
      [() => set('link_state', 'online'), 'online', null],
      [() => set('link_state', 'idle'), 'idle', null],
      [() => device.call('POST', '/v1/nodes/heartbeat', { status: 'faulty' }), 'faulty', 'reported_by_node'],
      [() => set('benchmark_fault_at', 1), 'faulty', 'benchmark_receipts'],
      [() => set('vote_fault_at', 1), 'faulty', 'invalid_votes'],
      [() => operator.client.post(`/admin/v1/nodes/${device.nodeId}/revoke`), 'banned', 'node_revoked'],
      [() => set('banned_at', 1), 'banned', 'banned'],
    ] as const) {
      await change()
      expect(await state()).toEqual([status, reason])
    }
  })

  test('is faulty while its benchmark has another receipt than the expected one', async () => {
    const { device } = await createMiner()
    const { cases } = await bodyOf(client().get('/v1/benchmarks/current'))
    const report = (wrong?: string) =>
      withBenchmark({
        cases: cases.map(({ name, receipt_hash }: Json) => ({
          name,
          receipt_hash: name === wrong ? `0x${'00'.repeat(32)}` : receipt_hash,
          gas_used: 1,
          elapsed_us: 1,
        })),
      })
    const says = (change: object) => bodyOf(putProfile(device, change))
    expect(await says(report())).toMatchObject({ status: 'offline', status_reason: null })
    const faulty = { status: 'faulty', status_reason: 'benchmark_receipts' }
    expect(await says(report('nbody'))).toMatchObject(faulty)
    expect(await says({ benchmark: null })).toMatchObject(faulty)
    expect(await says(report())).toMatchObject({ status: 'offline', status_reason: null })
  })

  test('403: another wallet cannot change its label, and another node cannot change its profile', async () => {
    const { device } = await createMiner()
    const stranger = await createMiner()
    await expectRefusal(patch(stranger.owner, device.nodeId, { label: 'Mine' }), '403 not_owner')
    await expectRefusal(putProfile(stranger.device, {}, device.nodeId), '403 forbidden')
  })

  test('404 not_found: a registered node that is not bound', async () => {
    const owner = await createOwner()
    const device = createNode()
    await insertNode(device)
    for (const response of [
      get(device.nodeId),
      patch(owner, device.nodeId, { label: 'Desk' }),
      putProfile(device),
    ])
      await expectRefusal(response, '404 not_found')
  })

  test.each([
    ['a label of 65 characters', 'label', { label: 'x'.repeat(65) }],
    ['a malformed group id', 'group_id', { group_id: 'Office' }],
  ])('400 invalid_field: %s', async (_, path, json) => {
    const { owner, device } = await createMiner()
    await expectInvalid(patch(owner, device.nodeId, json), path)
  })

  test.each([
    ['an unknown class', { class: 'toaster' }, 'class'],
    ['a benchmark of another suite', withBenchmark({ suite: 'x' }), 'benchmark.suite'],
    [
      'a case with a receipt that is not a hash',
      withBenchmark({ cases: [{ name: 'x', receipt_hash: '', gas_used: 1, elapsed_us: 1 }] }),
      'benchmark.cases[0].receipt_hash',
    ],
    ['negative cores', { hardware: { cpu_cores: -1 } }, 'hardware.cpu_cores'],
    ['an unknown part', { hardware: { antenna: 1 } }, 'hardware.antenna'],
    ['a GPU with negative memory', { hardware: { gpu: { vram_mb: -1 } } }, 'hardware.gpu.vram_mb'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const { device } = await createMiner()
    await expectInvalid(putProfile(device, change), path)
  })

  test('the bound devices of a wallet are listed in pages, last bound first', async () => {
    const owner = await createOwner()
    const devices = [createNode(), createNode(), createNode(), createNode()]
    for (const device of devices) await bind(deviceRecord(owner, device))
    const [gone] = devices.splice(1, 1)
    await unbind(deviceRecord(owner, gone as TestNode, { action: 'unbind' }))
    await createMiner()
    const pages = await pagesOf(owner.client, '/v1/me/devices', 2)
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    const listed = pages.flat()
    expect(listed.map(({ node_id }) => node_id).sort()).toEqual(devices.map(({ nodeId }) => nodeId).sort())
    expect(listed[0]).toHaveProperty('label', null)
  })
})
