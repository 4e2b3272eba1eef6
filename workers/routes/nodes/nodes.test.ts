import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { createMiner, createNode, createOperator } from '../../test/callers.ts'
import {
  atOnce,
  baseUrl,
  bodyOf,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusAndBody,
  statusesOf,
} from '../../test/client.ts'

const registration = {
  hub: baseUrl,
  network: 'hub-testnet',
  url: 'https://node.example',
  role: 'validator',
  engine: 'native',
  nodectl_version: '1.0.0',
}
const register = (node: ReturnType<typeof createNode>, change: object = {}) =>
  node.call('POST', '/v1/nodes/register', { ...registration, ...change })

const operator = await createOperator()
const decide = (nodeId: string, verb: 'approve' | 'revoke', body?: object) =>
  operator.client.post(`/admin/v1/nodes/${nodeId}/${verb}`, body)
const notesOn = (subject: string) => itemsOf(operator.client.get(`/admin/v1/audit-log?subject=${subject}`))

describe('registration', () => {
  test('a miner is approved at once; registering again replaces its record', async () => {
    const node = createNode()
    expect(
      await statusAndBody(register(node, { role: 'miner', capabilities: ['execute'], region: 'eu-west' })),
    ).toEqual([
      200,
      {
        node_id: node.nodeId,
        public_key: node.publicKey,
        role: 'miner',
        status: 'approved',
        url: 'https://node.example',
        region: 'eu-west',
        engine: 'native',
        nodectl_version: '1.0.0',
        capabilities: ['execute'],
        health: null,
        last_heartbeat_at: null,
        registered_at: expect.any(Number),
        updated_at: expect.any(Number),
        revoked_at: null,
      },
    ])
    expect(await bodyOf(register(node, { role: 'miner', url: 'https://elsewhere.example' }))).toMatchObject({
      url: 'https://elsewhere.example',
      capabilities: [],
    })
  })

  test('a miner that only connects outwards has no URL, until it names one', async () => {
    const node = createNode()
    const { url: _, ...withoutUrl } = { ...registration, role: 'miner' }
    for (const body of [withoutUrl, { ...withoutUrl, url: null }]) {
      expect(await statusAndBody(node.call('POST', '/v1/nodes/register', body))).toEqual([
        200,
        expect.objectContaining({ url: null }),
      ])
    }
    const items = await itemsOf(operator.client.get('/admin/v1/nodes?limit=100'))
    expect(items.find(({ node_id }) => node_id === node.nodeId)).toMatchObject({ url: null })
    expect(await bodyOf(register(node, { role: 'miner', url: 'https://node.example' }))).toMatchObject({
      url: 'https://node.example',
    })
  })

  test('a validator waits for an operator, and cannot register again once revoked', async () => {
    const node = createNode()
    expect((await register(node)).status).toBe(202)
    expect(await bodyOf(decide(node.nodeId, 'approve'))).toMatchObject({ status: 'approved' })
    expect((await register(node)).status).toBe(200)
    const reason = 'Signed two results for one task.'
    expect(await bodyOf(decide(node.nodeId, 'revoke', { reason }))).toMatchObject({
      status: 'revoked',
    })
    await expectRefusal(register(node), '403 forbidden')
    expect(await notesOn(node.nodeId)).toEqual([
      {
        entry: expect.any(Number),
        operator: operator.address,
        action: 'node.revoke',
        subject: node.nodeId,
        reason,
        before: { status: 'approved' },
        after: { status: 'revoked' },
        created_at: expect.any(Number),
      },
      expect.objectContaining({ action: 'node.approve', before: { status: 'pending' }, reason: null }),
    ])
  })

  test('a miner that becomes a validator waits for an operator', async () => {
    const node = createNode()
    expect((await register(node, { role: 'miner' })).status).toBe(200)
    expect(await bodyOf(register(node))).toMatchObject({ role: 'validator', status: 'pending' })
  })

  test('all loopback names of a local hub count as the same hub', async () => {
    for (const hub of ['http://127.0.0.1:8787', 'http://[::1]:8787/', 'http://localhost:8787/'])
      expect((await register(createNode(), { hub })).status, hub).toBe(202)
    await expectRefusal(register(createNode(), { hub: 'http://127.0.0.1:8788' }), '400 invalid_field')
  })

  test('if the hub approves automatically, a validator is approved at once', async () => {
    const node = createNode({ bindings: { AUTO_APPROVE_NODES: 'true' } })
    expect((await register(node)).status).toBe(200)
  })

  test('ten racing registrations create one row', async () => {
    const node = createNode()
    expect(await statusesOf(atOnce(10, () => register(node)))).toEqual(Array(10).fill(202))
    const rows = await env.DB.prepare('SELECT * FROM nodes WHERE node_id = ?').bind(node.nodeId).all()
    expect(rows.results).toHaveLength(1)
  })

  test.each([
    ['no hub', { hub: undefined }, 'hub'],
    ['another hub', { hub: 'https://hub.example' }, 'hub'],
    ['a hub that is not a URL', { hub: 'localhost:8787' }, 'hub'],
    ['no network', { network: undefined }, 'network'],
    ['another network', { network: 'hub-mainnet' }, 'network'],
    ['http elsewhere', { url: 'http://node.example' }, 'url'],
    ['a password in the URL', { url: 'https://a:b@node.example' }, 'url'],
    ['a text that is not a URL', { url: 'node' }, 'url'],
    ['a URL of 513 characters', { url: `https://node.example/${'x'.repeat(492)}` }, 'url'],
    ['null as the URL of a validator', { url: null }, 'url'],
    ['another role', { role: 'king' }, 'role'],
    ['another engine', { engine: 'v8' }, 'engine'],
    ['no version', { nodectl_version: 'new' }, 'nodectl_version'],
    ['a capability twice', { capabilities: ['a', 'a'] }, 'capabilities'],
    ['33 capabilities', { capabilities: Array.from({ length: 33 }, (_, i) => `c${i}`) }, 'capabilities'],
    ['an unknown field', { more: 1 }, 'more'],
  ])('400 invalid_field: %s', async (_, change, path) => {
    const error = await expectRefusal(register(createNode(), change), '400 invalid_field')
    expect(error.details?.problems?.map((problem) => problem.path)).toContain(path)
  })
})

describe('on a network of many machines', () => {
  const hub = 'https://hub.example'
  const node = () => createNode({ bindings: { BASE_URL: hub, LOCAL_NETWORK: 'false' } })

  test.each(['http://127.0.0.1:7700', 'https://127.0.0.1', 'https://[::1]', 'https://localhost'])(
    '400 invalid_field: the loopback URL %s',
    async (url) => {
      await expectInvalid(register(node(), { hub, url }), 'url')
    },
  )

  test('a miner needs no URL', async () => {
    expect((await register(node(), { hub, role: 'miner', url: null })).status).toBe(200)
  })

  test('a domain is accepted', async () => {
    expect((await register(node(), { hub, url: 'https://node.example:7700' })).status).toBe(202)
  })
})

describe('heartbeat', () => {
  const beat = (node: ReturnType<typeof createNode>, body: object = {}) =>
    node.call('POST', '/v1/nodes/heartbeat', body)

  test('returns the status and the time until the next heartbeat', async () => {
    const node = createNode()
    await register(node)
    expect(await statusAndBody(beat(node, { status: 'idle' }))).toEqual([
      200,
      { node_id: node.nodeId, status: 'pending', heard_at: expect.any(Number), next_in_secs: 30 },
    ])
    const items = await itemsOf(operator.client.get('/admin/v1/nodes?limit=200'))
    expect(items.find(({ node_id }) => node_id === node.nodeId)).toMatchObject({
      health: 'idle',
      last_heartbeat_at: expect.any(Number),
    })
  })

  test('404 not_found: a bound device that never registered', async () => {
    const { device } = await createMiner()
    await expectRefusal(beat(device), '404 not_found')
  })

  test('400 invalid_field: an unknown status', async () => {
    const { device } = await createMiner()
    await expectRefusal(beat(device, { status: 'asleep' }), '400 invalid_field')
  })
})

describe('operators and nodes', () => {
  test('of ten racing approvals, the audit log has one', async () => {
    const node = createNode()
    await register(node)
    expect(await statusesOf(atOnce(10, () => decide(node.nodeId, 'approve')))).toEqual(Array(10).fill(200))
    expect(await notesOn(node.nodeId)).toHaveLength(1)
  })

  test('404 not_found: an unregistered node; 400 invalid_field: a malformed node id, too long a reason', async () => {
    await expectRefusal(decide(createNode().nodeId, 'approve'), '404 not_found')
    await expectRefusal(decide('node-1', 'approve'), '400 invalid_field')
    const node = createNode()
    await register(node)
    await expectRefusal(decide(node.nodeId, 'revoke', { reason: 'x'.repeat(2001) }), '400 invalid_field')
    expect(await notesOn(node.nodeId)).toEqual([])
  })

  test.each(['approve', 'revoke'])('400 bad_request: %s with a body that is not JSON', async (verdict) => {
    const path = `/admin/v1/nodes/${createNode().nodeId}/${verdict}`
    const headers = { 'Content-Type': 'application/json' }
    const response = await operator.client.fetch(path, { method: 'POST', headers, body: '{"reason":' })
    await expectRefusal(response, '400 bad_request')
  })

  test('nodes are listed newest first in pages, and by role and status', async () => {
    const nodes = [createNode(), createNode(), createNode()]
    for (const node of nodes) await register(node)
    const seen = (await pagesOf(operator.client, '/admin/v1/nodes', 2)).flat()
    expect(new Set(seen.map(({ node_id }) => node_id)).size).toBe(seen.length)
    for (const { nodeId } of nodes) expect(seen.map(({ node_id }) => node_id)).toContain(nodeId)
    expect(seen.map(({ registered_at }) => registered_at)).toEqual(
      seen.map(({ registered_at }) => registered_at).sort((a, b) => b - a),
    )
    const waiting = await itemsOf(operator.client.get('/admin/v1/nodes?role=validator&status=pending'))
    expect(new Set(waiting.map(({ role, status }) => `${role} ${status}`))).toEqual(
      new Set(['validator pending']),
    )
  })
})
