import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce, bodyOf, expectInvalid, expectRefusal } from '../../test/answers.ts'
import { baseUrl } from '../../test/client.ts'
import { createMiner } from '../../test/device.ts'
import { createNode } from '../../test/node.ts'
import { createOperator } from '../../test/operator.ts'

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

let operator: Awaited<ReturnType<typeof createOperator>>
beforeAll(async () => {
  operator = await createOperator()
})
const decide = (nodeId: string, verb: 'approve' | 'revoke', body?: object) =>
  operator.client.post(`/admin/v1/nodes/${nodeId}/${verb}`, body)
const notesOn = async (subject: string) =>
  (
    await bodyOf<{
      items: object[]
    }>(operator.client.get(`/admin/v1/audit-log?subject=${subject}`))
  ).items

describe('registration', () => {
  test('a miner is approved at once; registering again renews', async () => {
    const node = createNode()
    const first = await register(node, { role: 'miner', capabilities: ['execute'], region: 'eu-west' })
    expect([first.status, await first.json()]).toEqual([
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
    const again = await register(node, { role: 'miner', url: 'https://elsewhere.example' })
    expect(await again.json()).toMatchObject({ url: 'https://elsewhere.example', capabilities: [] })
  })

  test('a miner that only connects outwards has no URL, until it names one', async () => {
    const node = createNode()
    const { url: _, ...withoutUrl } = { ...registration, role: 'miner' }
    for (const body of [withoutUrl, { ...withoutUrl, url: null }]) {
      const response = await node.call('POST', '/v1/nodes/register', body)
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ url: null })])
    }
    const { items } = await bodyOf<{
      items: { node_id: string }[]
    }>(operator.client.get('/admin/v1/nodes?limit=100'))
    expect(items.find(({ node_id }) => node_id === node.nodeId)).toMatchObject({ url: null })
    const named = await register(node, { role: 'miner', url: 'https://node.example' })
    expect(await named.json()).toMatchObject({ url: 'https://node.example' })
  })

  test('a validator waits for an operator, and does not register again once revoked', async () => {
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

  test('this machine has several names, and a hub on it is the same by each', async () => {
    for (const hub of ['http://127.0.0.1:8787', 'http://[::1]:8787/', 'http://localhost:8787/'])
      expect((await register(createNode(), { hub })).status, hub).toBe(202)
    await expectRefusal(register(createNode(), { hub: 'http://127.0.0.1:8788' }), '400 invalid_field')
  })

  test('where the hub approves by itself a validator counts at once', async () => {
    const node = createNode({ bindings: { AUTO_APPROVE_NODES: 'true' } })
    expect((await register(node)).status).toBe(200)
  })

  test('of ten racing registrations one row comes', async () => {
    const node = createNode()
    const answers = await atOnce(10, () => register(node))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202))
    const rows = await env.DB.prepare('SELECT * FROM nodes WHERE node_id = ?').bind(node.nodeId).all()
    expect(rows.results).toHaveLength(1)
  })

  test.each([
    ['no hub', { hub: undefined }, 'hub'],
    ['another hub', { hub: 'https://hub.example' }, 'hub'],
    ['a hub that is no URL', { hub: 'localhost:8787' }, 'hub'],
    ['no network', { network: undefined }, 'network'],
    ['another network', { network: 'hub-mainnet' }, 'network'],
    ['http elsewhere', { url: 'http://node.example' }, 'url'],
    ['a password in the URL', { url: 'https://a:b@node.example' }, 'url'],
    ['what is no URL', { url: 'node' }, 'url'],
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
  const node = () => createNode({ bindings: { BASE_URL: hub } })

  test.each(['http://127.0.0.1:7700', 'https://127.0.0.1', 'https://[::1]', 'https://localhost'])(
    '400 invalid_field: %s, where nobody else finds the node',
    async (url) => {
      await expectInvalid(register(node(), { hub, url }), 'url')
    },
  )

  test('a miner needs none', async () => {
    expect((await register(node(), { hub, role: 'miner', url: null })).status).toBe(200)
  })

  test('a domain is taken', async () => {
    expect((await register(node(), { hub, url: 'https://node.example:7700' })).status).toBe(202)
  })
})

describe('heartbeat', () => {
  const beat = (node: ReturnType<typeof createNode>, body: object = {}) =>
    node.call('POST', '/v1/nodes/heartbeat', body)

  test('is answered with the status and when the next is expected', async () => {
    const node = createNode()
    await register(node)
    const response = await beat(node, { status: 'idle' })
    expect([response.status, await response.json()]).toEqual([
      200,
      { node_id: node.nodeId, status: 'pending', heard_at: expect.any(Number), next_in_secs: 30 },
    ])
    const { items } = await bodyOf<{
      items: { node_id: string }[]
    }>(operator.client.get('/admin/v1/nodes?limit=200'))
    expect(items.find(({ node_id }) => node_id === node.nodeId)).toMatchObject({
      health: 'idle',
      last_heartbeat_at: expect.any(Number),
    })
  })

  test('404 not_found: a bound device that never registered', async () => {
    const { device } = await createMiner()
    await expectRefusal(beat(device), '404 not_found')
  })

  test('400 invalid_field: a status nodes do not have', async () => {
    const { device } = await createMiner()
    await expectRefusal(beat(device, { status: 'asleep' }), '400 invalid_field')
  })
})

describe('operators and nodes', () => {
  test('of ten racing approvals one is noted', async () => {
    const node = createNode()
    await register(node)
    const answers = await atOnce(10, () => decide(node.nodeId, 'approve'))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await notesOn(node.nodeId)).toHaveLength(1)
  })

  test('404 not_found: a node nobody registered; 400 invalid_field: no node id, a reason too long', async () => {
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
    const list = async (query: string) =>
      await bodyOf<{
        items: { node_id: string; registered_at: number; role: string; status: string }[]
        next_cursor: string | null
      }>(operator.client.get(`/admin/v1/nodes?${query}`))
    const seen: { node_id: string; registered_at: number }[] = []
    for (let cursor = ''; ; ) {
      const { items, next_cursor } = await list(`limit=2${cursor}`)
      seen.push(...items)
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
    expect(new Set(seen.map(({ node_id }) => node_id)).size).toBe(seen.length)
    for (const { nodeId } of nodes) expect(seen.map(({ node_id }) => node_id)).toContain(nodeId)
    expect(seen.map(({ registered_at }) => registered_at)).toEqual(
      seen.map(({ registered_at }) => registered_at).sort((a, b) => b - a),
    )
    const { items } = await list('role=validator&status=pending')
    expect(new Set(items.map(({ role, status }) => `${role} ${status}`))).toEqual(
      new Set(['validator pending']),
    )
  })
})
