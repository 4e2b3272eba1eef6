import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { client, errorOf } from '../../test/client.ts'
import { createMiner, createOwner, deviceRecord } from '../../test/device.ts'
import { createNode, insertNode, type TestNode } from '../../test/node.ts'
import { createOperator } from '../../test/operator.ts'

interface BenchmarkSuite {
  cases: { name: string; receipt_hash: string }[]
}

const bind = (record: object) => client().post('/v1/devices/bind', record)
const unbind = (record: object) => client().post('/v1/devices/unbind', record)
const read = async (nodeId: string, caller = client()) => caller.get(`/v1/devices/${nodeId}`)
const now = () => Math.floor(Date.now() / 1000)

const profile = {
  class: 'desktop',
  platform: 'linux',
  arch: 'x64',
  engine: 'native',
  nodectl_version: '1.0.0',
  hardware: { cpu_cores: 8, ram_mb: 32_768 },
  benchmark: {
    suite: 'bench-v1',
    ran_at: 1_793_000_000,
    engine: 'native',
    cases: [],
    mgas_per_s: [],
    score: 1200,
  },
}
const putProfile = (device: TestNode, change: object = {}, nodeId = device.nodeId) =>
  device.call('PUT', `/v1/devices/${nodeId}/profile`, { ...profile, ...change })

describe('binding', () => {
  test('the issued text, signed by both, binds; the record can be read by everybody', async () => {
    const owner = await createOwner()
    const device = createNode()
    const issued = (await (
      await client().post('/v1/devices/binding-message', {
        owner: owner.address,
        public_key: device.publicKey,
      })
    ).json()) as { message: string; binding_hash: string }
    const [issuedAt = '', nonce = ''] = issued.message
      .split('\n')
      .slice(-2)
      .map((line) => line.split(': ')[1])
    const record = deviceRecord(owner, device, { issued_at: Number(issuedAt), nonce })
    expect(issued).toEqual({ message: record.message, binding_hash: record.binding_hash })

    const bound = await bind(record)
    expect([bound.status, await bound.json()]).toEqual([
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
        bound_at: expect.any(Number),
        profile_updated_at: null,
        last_seen_at: null,
      },
    ])
    const kept = await client().get(`/v1/bindings/${record.binding_hash}`)
    expect(await kept.json()).toEqual(record)
    expect(kept.headers.get('cache-control')).toContain('immutable')
    expect((await bind(record)).status).toBe(200)
  })

  test('a newer record of the same owner takes the place of the active one, and keeps label and profile', async () => {
    const { owner, device } = await createMiner()
    const first = (await (await read(device.nodeId)).json()) as { binding_hash: string }
    await owner.client.fetch(`/v1/devices/${device.nodeId}`, { method: 'PATCH', json: { label: 'Desk' } })
    await putProfile(device)
    const record = deviceRecord(owner, device)
    expect((await bind(record)).status).toBe(200)
    expect(await (await read(device.nodeId, owner.client)).json()).toMatchObject({
      binding_hash: record.binding_hash,
      label: 'Desk',
      class: 'desktop',
    })
    const replaced = await (await client().get(`/v1/bindings/${first.binding_hash}`)).json()
    expect(await errorOf(await bind(replaced as object))).toMatchObject({ status: 409, error: 'conflict' })
  })

  test('409 conflict: bound to another wallet; after unbinding it is free, and label and profile are gone', async () => {
    const { owner, device } = await createMiner()
    await owner.client.fetch(`/v1/devices/${device.nodeId}`, { method: 'PATCH', json: { label: 'Desk' } })
    await putProfile(device)
    const other = await createOwner()
    const record = deviceRecord(other, device)
    expect(await errorOf(await bind(record))).toMatchObject({ status: 409, error: 'conflict' })
    expect((await client().get(`/v1/bindings/${record.binding_hash}`)).status).toBe(404)
    expect((await unbind(deviceRecord(owner, device, { action: 'unbind' }))).status).toBe(200)
    expect((await bind(record)).status).toBe(200)
    expect(await (await read(device.nodeId, other.client)).json()).toMatchObject({
      owner: other.address,
      label: null,
      hardware: null,
      class: null,
      profile_updated_at: null,
    })
  })

  test('of wallets that race for a device exactly one gets it', async () => {
    const device = createNode()
    const owners = await Promise.all(Array.from({ length: 6 }, () => createOwner()))
    const records = owners.map((owner) => deviceRecord(owner, device))
    const statuses = (await Promise.all(records.map(bind))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409])
    const { binding_hash } = (await (await read(device.nodeId)).json()) as { binding_hash: string }
    const kept = await Promise.all(records.map((one) => client().get(`/v1/bindings/${one.binding_hash}`)))
    expect(kept.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(records.findIndex((one) => one.binding_hash === binding_hash)).toBe(
      kept.findIndex(({ status }) => status === 200),
    )
  })

  test('one record posted ten times at once binds once', async () => {
    const owner = await createOwner()
    const record = deviceRecord(owner, createNode())
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => bind(record)))).map(
      ({ status }) => status,
    )
    expect(statuses).toEqual(Array(10).fill(200))
  })

  const refusals: [string, number, string, (record: ReturnType<typeof deviceRecord>) => object][] = [
    [
      'an owner the message does not name',
      422,
      'invalid_binding',
      (r) => ({ ...r, owner: `0x${'ab'.repeat(20)}` }),
    ],
    ['another node id', 422, 'invalid_binding', (r) => ({ ...r, node_id: 'node-0000000000000000' })],
    ['another hash', 422, 'invalid_binding', (r) => ({ ...r, binding_hash: `0x${'ab'.repeat(32)}` })],
    ['another time', 422, 'invalid_binding', (r) => ({ ...r, issued_at: r.issued_at + 1 })],
    ['another nonce', 422, 'invalid_binding', (r) => ({ ...r, nonce: '0'.repeat(32) })],
    [
      'a message of another network',
      422,
      'invalid_binding',
      (r) => ({ ...r, message: r.message.replace('testnet', 'mainnet') }),
    ],
    ['no owner signature', 422, 'invalid_binding', (r) => ({ ...r, owner_signature: null })],
    ['no node signature', 422, 'invalid_binding', (r) => ({ ...r, node_signature: undefined })],
    [
      'a signature of nothing',
      422,
      'bad_signature',
      (r) => ({ ...r, owner_signature: `0x${'00'.repeat(65)}` }),
    ],
    [
      'the node signature of another record',
      422,
      'bad_signature',
      (r) => ({ ...r, node_signature: `0x${'11'.repeat(64)}` }),
    ],
    ['an upper-case owner', 400, 'invalid_field', (r) => ({ ...r, owner: r.owner.toUpperCase() })],
    ['an unknown field', 400, 'invalid_field', (r) => ({ ...r, more: 1 })],
    ['no message', 400, 'invalid_field', ({ message: _, ...r }) => r],
  ]
  test.each(refusals)('refuses %s: %i %s', async (_, status, error, change) => {
    const record = deviceRecord(await createOwner(), createNode())
    expect(await errorOf(await bind(change(record)))).toMatchObject({ status, error })
    expect((await client().get(`/v1/bindings/${record.binding_hash}`)).status).toBe(404)
  })

  // A minute beyond the limit, for the clock goes on; the limit itself is the protocol's to test.
  test.each([
    ['stale', -601],
    ['from the future', 660],
  ])('422 invalid_binding with the reason: a record that is %s', async (_, seconds) => {
    const record = deviceRecord(await createOwner(), createNode(), { issued_at: now() + seconds })
    expect(await errorOf(await bind(record))).toMatchObject({
      status: 422,
      error: 'invalid_binding',
      details: { reason: 'stale_binding' },
    })
  })

  test('400 invalid_field: a key under which anything verifies gets no text', async () => {
    const { address } = await createOwner()
    const error = await errorOf(
      await client().post('/v1/devices/binding-message', {
        owner: address,
        public_key: `0x01${'00'.repeat(31)}`,
      }),
    )
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems?.[0]?.path).toBe('public_key')
  })

  test('404 not_found: a record nobody posted, and no hash at all', async () => {
    for (const hash of [`0x${'00'.repeat(32)}`, 'x'])
      expect(await errorOf(await client().get(`/v1/bindings/${hash}`))).toMatchObject({
        status: 404,
        error: 'not_found',
      })
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
    expect((await read(device.nodeId)).status).toBe(404)
    expect(await (await client().get(`/v1/bindings/${record.binding_hash}`)).json()).toEqual(record)
    await bind(deviceRecord(owner, device))
    expect(await (await unbind(record)).json()).toEqual(answer)
    expect((await read(device.nodeId)).status).toBe(200)
  })

  test('a record whose binding was ended binds no more', async () => {
    const owner = await createOwner()
    const device = createNode()
    const record = deviceRecord(owner, device)
    await bind(record)
    await unbind(deviceRecord(owner, device, { action: 'unbind' }))
    expect(await errorOf(await bind(record))).toMatchObject({ status: 409, error: 'conflict' })
    expect((await bind(deviceRecord(owner, device))).status).toBe(200)
  })

  test('422 invalid_binding: not bound, bound to another, bound with a text to bind', async () => {
    const { owner, device } = await createMiner()
    const stranger = await createOwner()
    const refused = [
      deviceRecord(owner, createNode(), { action: 'unbind' }),
      deviceRecord(stranger, device, { action: 'unbind' }, { node: false }),
      deviceRecord(owner, device),
      deviceRecord(owner, device, { action: 'unbind' }, { node: false, owner: false }),
    ]
    for (const record of refused)
      expect(await errorOf(await unbind(record))).toMatchObject({ status: 422, error: 'invalid_binding' })
    expect(await errorOf(await bind(deviceRecord(owner, device, { action: 'unbind' })))).toMatchObject({
      status: 422,
      error: 'invalid_binding',
    })
    expect((await read(device.nodeId)).status).toBe(200)
  })

  test('422 bad_signature: one of two does not verify', async () => {
    const { owner, device } = await createMiner()
    const record = deviceRecord(owner, device, { action: 'unbind' })
    expect(await errorOf(await unbind({ ...record, node_signature: `0x${'11'.repeat(64)}` }))).toMatchObject({
      status: 422,
      error: 'bad_signature',
    })
    expect((await read(device.nodeId)).status).toBe(200)
  })

  test('of racing records one ends the binding, and the others are refused because the device is not bound', async () => {
    const { owner, device } = await createMiner()
    const records = Array.from({ length: 5 }, () => deviceRecord(owner, device, { action: 'unbind' }))
    const statuses = (await Promise.all(records.map(unbind))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 422, 422, 422, 422])
  })
})

describe('a device', () => {
  test('says what it is, with label and hardware for its owner only', async () => {
    const { owner, device } = await createMiner()
    const saved = await putProfile(device)
    expect(saved.status).toBe(200)
    expect(await saved.json()).toMatchObject({ class: 'desktop', engine: 'native', os_version: null })
    await owner.client.fetch(`/v1/devices/${device.nodeId}`, { method: 'PATCH', json: { label: 'Desk' } })

    const unknown = { cpu_model: null, cpu_threads: null, storage_free_mb: null, gpu: null, network: null }
    expect(await (await read(device.nodeId, owner.client)).json()).toMatchObject({
      label: 'Desk',
      hardware: { ...profile.hardware, ...unknown, battery: null, os: null, arch: null },
      benchmark: profile.benchmark,
      profile_updated_at: expect.any(Number),
    })
    for (const caller of [client(), (await createOwner()).client]) {
      const seen = (await (await read(device.nodeId, caller)).json()) as object
      expect(seen).not.toHaveProperty('label')
      expect(seen).not.toHaveProperty('hardware')
    }
    await putProfile(device, { hardware: null, benchmark: null })
    expect(await (await read(device.nodeId, owner.client)).json()).toMatchObject({
      hardware: null,
      benchmark: null,
    })
  })

  test('is what its link says, else faulty for what is held against it, else banned', async () => {
    const { device } = await createMiner()
    await insertNode(device)
    const state = async () => {
      const { status, status_reason } = (await (await read(device.nodeId)).json()) as Record<string, string>
      return [status, status_reason]
    }
    const set = (table: string, column: string, value: string | number | null) =>
      env.DB.prepare(`UPDATE ${table} SET ${column} = ? WHERE node_id = ?`).bind(value, device.nodeId).run()
    expect(await state()).toEqual(['offline', null])
    for (const link of ['online', 'idle']) {
      await set('devices', 'link_state', link)
      expect(await state()).toEqual([link, null])
    }
    await device.call('POST', '/v1/nodes/heartbeat', { status: 'faulty' })
    expect(await state()).toEqual(['faulty', 'reported_by_node'])
    await set('devices', 'benchmark_fault_at', 1)
    expect(await state()).toEqual(['faulty', 'benchmark_receipts'])
    await set('devices', 'vote_fault_at', 1)
    expect(await state()).toEqual(['faulty', 'invalid_votes'])
    const operator = await createOperator()
    await operator.client.post(`/admin/v1/nodes/${device.nodeId}/revoke`)
    expect(await state()).toEqual(['banned', 'node_revoked'])
    await set('devices', 'banned_at', 1)
    expect(await state()).toEqual(['banned', 'banned'])
  })

  test('is faulty while its benchmark has another receipt than the pinned one', async () => {
    const { device } = await createMiner()
    const { cases } = (await (await client().get('/v1/benchmarks/current')).json()) as BenchmarkSuite
    const report = (wrong?: string) => ({
      benchmark: {
        ...profile.benchmark,
        cases: cases.map(({ name, receipt_hash }) => ({
          name,
          receipt_hash: name === wrong ? `0x${'00'.repeat(32)}` : receipt_hash,
          gas_used: 1,
          elapsed_us: 1,
        })),
      },
    })
    const says = async (change: object) => (await putProfile(device, change)).json()
    expect(await says(report())).toMatchObject({ status: 'offline', status_reason: null })
    expect(await says(report('nbody'))).toMatchObject({
      status: 'faulty',
      status_reason: 'benchmark_receipts',
    })
    expect(await says({ benchmark: null })).toMatchObject({ status: 'faulty' })
    expect(await says(report())).toMatchObject({ status: 'offline', status_reason: null })
  })

  test('403: another wallet does not name it, another node does not describe it', async () => {
    const { device } = await createMiner()
    const stranger = await createMiner()
    const label = { method: 'PATCH', json: { label: 'Mine' } }
    expect(
      await errorOf(await stranger.owner.client.fetch(`/v1/devices/${device.nodeId}`, label)),
    ).toMatchObject({ status: 403, error: 'not_owner' })
    expect(await errorOf(await putProfile(stranger.device, {}, device.nodeId))).toMatchObject({
      status: 403,
      error: 'forbidden',
    })
  })

  test('404 not_found: not bound; 400 invalid_field on writing to no node id', async () => {
    const owner = await createOwner()
    const device = createNode()
    await insertNode(device)
    const label = { method: 'PATCH', json: { label: 'Desk' } }
    for (const response of [
      await read(device.nodeId),
      await read('node-1'),
      await owner.client.fetch(`/v1/devices/${device.nodeId}`, label),
      await putProfile(device),
    ])
      expect(await errorOf(response)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await errorOf(await owner.client.fetch('/v1/devices/node-1', label))).toMatchObject({
      status: 400,
      error: 'invalid_field',
    })
  })

  test.each([
    ['a label of 65 characters', 'label', { label: 'x'.repeat(65) }],
    ['no label', 'label', {}],
  ])('400 invalid_field: %s', async (_, path, json) => {
    const { owner, device } = await createMiner()
    const error = await errorOf(
      await owner.client.fetch(`/v1/devices/${device.nodeId}`, { method: 'PATCH', json }),
    )
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems?.[0]?.path).toBe(path)
  })

  test.each([
    ['an unknown class', { class: 'toaster' }, 'class'],
    ['a benchmark of another suite', { benchmark: { ...profile.benchmark, suite: 'x' } }, 'benchmark.suite'],
    [
      'a case with a receipt that is no hash',
      {
        benchmark: {
          ...profile.benchmark,
          cases: [{ name: 'x', receipt_hash: '', gas_used: 1, elapsed_us: 1 }],
        },
      },
      'benchmark.cases[0].receipt_hash',
    ],
    ['negative cores', { hardware: { cpu_cores: -1 } }, 'hardware.cpu_cores'],
    ['an unknown part', { hardware: { antenna: 1 } }, 'hardware.antenna'],
    ['a GPU with negative memory', { hardware: { gpu: { vram_mb: -1 } } }, 'hardware.gpu.vram_mb'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const { device } = await createMiner()
    const error = await errorOf(await putProfile(device, change))
    expect(error).toMatchObject({ status: 400, error: 'invalid_field' })
    expect(error.details?.problems?.map((problem) => problem.path)).toContain(path)
  })

  test('the devices of a wallet are listed last bound first, in pages, unbound ones not', async () => {
    const owner = await createOwner()
    const devices = [createNode(), createNode(), createNode(), createNode()]
    for (const device of devices) await bind(deviceRecord(owner, device))
    const [gone] = devices.splice(1, 1)
    await unbind(deviceRecord(owner, gone as TestNode, { action: 'unbind' }))
    await createMiner()
    const page = async (query: string) =>
      (await (await owner.client.get(`/v1/me/devices?${query}`)).json()) as {
        items: { node_id: string; label: string | null }[]
        next_cursor: string | null
      }
    const first = await page('limit=2')
    const second = await page(`limit=2&cursor=${first.next_cursor}`)
    const listed = [...first.items, ...second.items]
    expect(listed.map(({ node_id }) => node_id).sort()).toEqual(devices.map(({ nodeId }) => nodeId).sort())
    expect(listed[0]).toHaveProperty('label', null)
    expect(second.next_cursor).toBeNull()
  })
})
