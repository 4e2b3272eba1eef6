import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { profileStrings, resolveProfile } from '../../../protocol/identity/index.ts'
import { closeCodes } from '../../../protocol/link/index.ts'
import {
  createMiner,
  createNode,
  createOperator,
  deviceRecord,
  insertNode,
  type TestNode,
} from '../../test/callers.ts'
import { bodyOf, client, expectRefusal, freshAddress } from '../../test/client.ts'
import { linkOf, openRelay, RelaySocket, upgradeHeaders } from '../../test/relay-socket.ts'

const {
  relay_subprotocol: first,
  relay_subprotocol_2: second,
  relay_subprotocol_3: third,
  relay_subprotocol_4: fourth,
} = profileStrings(resolveProfile())

let owner: Awaited<ReturnType<typeof createMiner>>['owner']
let node: TestNode
beforeEach(async () => {
  const miner = await createMiner()
  owner = miner.owner
  node = miner.device
  await insertNode(node)
})

const connect = (headers: Record<string, string>) => client().get('/v1/relay', headers)

describe('GET /v1/relay', () => {
  test.each([
    ['all known ones and a later one', `hub-relay.v5, ${fourth}, ${third}, ${second}, ${first}`, fourth],
    ['those of the previous build', `${third}, ${second}, ${first}`, third],
    ['two, in another order', `${first},${second}`, second],
    ['the second alone', second, second],
    ['the first alone', first, first],
  ])(
    '101: a socket with the newest subprotocol that both sides know, offered %s',
    async (_, offered, taken) => {
      const response = await connect({ ...(await upgradeHeaders(node)), 'Sec-WebSocket-Protocol': offered })
      expect(response.status).toBe(101)
      expect(response.headers.get('sec-websocket-protocol')).toBe(taken)
      const relay = new RelaySocket(response.webSocket as WebSocket)
      expect(await relay.next()).toMatchObject({ type: 'hello' })
    },
  )

  test.each([
    ['without an upgrade', { Upgrade: 'h2c' }],
    ['without the subprotocol', { 'Sec-WebSocket-Protocol': '' }],
    ['with another subprotocol', { 'Sec-WebSocket-Protocol': 'hub-relay.v5' }],
  ])('426: %s', async (_, change) => {
    const response = await connect({ ...(await upgradeHeaders(node)), ...change })
    await expectRefusal(response, '426 bad_request')
    expect(response.headers.get('upgrade')).toBe('websocket')
  })

  test('401: a signature opens one socket', async () => {
    const headers = await upgradeHeaders(node)
    const relay = new RelaySocket((await connect(headers)).webSocket as WebSocket)
    expect(await relay.next()).toMatchObject({ type: 'hello' })
    await expectRefusal(connect(headers), '401 unauthorized')
    expect(await linkOf(node).status()).toMatchObject({ connected: true })
  })

  test('401: the signature is of another request or of an unknown key', async () => {
    const headers = await upgradeHeaders(node)
    const name = profileStrings(resolveProfile()).signature_header
    await expectRefusal(connect({ ...headers, [name]: `0x${'11'.repeat(64)}` }), '401 bad_signature')
    await expectRefusal(connect(await upgradeHeaders(createNode())), '401 unauthorized', {
      details: { reason: 'unknown_key' },
    })
  })

  test('403: not bound', async () => {
    const stranger = createNode()
    await insertNode(stranger)
    await client().post('/v1/devices/unbind', deviceRecord(owner, node, { action: 'unbind' }))
    for (const device of [stranger, node])
      await expectRefusal(connect(await upgradeHeaders(device)), '403 forbidden', {
        details: { reason: 'not_bound' },
      })
  })

  test('403: not registered', async () => {
    const { device } = await createMiner()
    await expectRefusal(connect(await upgradeHeaders(device)), '403 forbidden', {
      details: { reason: 'not_registered' },
    })
  })

  test('429: more than 300 sockets a minute from one address', async () => {
    const { publicKey } = node
    const from = client({ address: freshAddress() })
    await env.RATE_LIMITER.getByName(`relay_socket:${from.from}`).take({
      limit: 300,
      windowSeconds: 60,
      tokens: 300,
    })
    const response = await from.get('/v1/relay', await upgradeHeaders(node))
    await expectRefusal(response, '429 rate_limited')
    expect(await env.NODE_LINK.getByName(publicKey).status()).toMatchObject({ connected: false })
  })
})

describe('POST /admin/v1/devices/{node_id}/ban', () => {
  const ban = async (banned: boolean, reason: string | null = null, nodeId = node.nodeId) => {
    const operator = await createOperator()
    return operator.client.post(`/admin/v1/devices/${nodeId}/ban`, { banned, reason })
  }
  const device = async (caller = client()) => await bodyOf(caller.get(`/v1/devices/${node.nodeId}`))

  test('closes the socket with 4003, and refuses new ones until the ban is lifted', async () => {
    const { relay } = await openRelay(node)
    expect(await bodyOf(ban(true, 'Sends votes that nobody asked for.'))).toEqual({
      node_id: node.nodeId,
      banned: true,
      banned_at: expect.any(Number),
      reason: 'Sends votes that nobody asked for.',
    })
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
    await expectRefusal(connect(await upgradeHeaders(node)), '403 forbidden', {
      details: { reason: 'banned' },
    })
    expect(await bodyOf(ban(false))).toMatchObject({ banned: false, banned_at: null, reason: null })
    expect((await connect(await upgradeHeaders(node))).status).toBe(101)
  })

  test('makes the ban visible to everybody, and its reason to the owner', async () => {
    await ban(true, 'Sends votes that nobody asked for.')
    expect(await device()).toMatchObject({ status: 'banned', status_reason: 'banned' })
    expect(await device()).not.toHaveProperty('ban_reason')
    expect(await device(owner.client)).toMatchObject({ ban_reason: 'Sends votes that nobody asked for.' })
  })

  test('bans the key: a new owner does not end the ban', async () => {
    await ban(true)
    await client().post('/v1/devices/unbind', deviceRecord(owner, node, { action: 'unbind' }))
    const next = await createMiner()
    expect(await bodyOf(client().post('/v1/devices/bind', deviceRecord(next.owner, node)))).toMatchObject({
      status: 'banned',
    })
  })

  test('is logged once, even if it is repeated', async () => {
    const operator = await createOperator()
    const path = `/admin/v1/devices/${node.nodeId}/ban`
    await Promise.all([1, 2, 3].map(() => operator.client.post(path, { banned: true })))
    expect(await bodyOf(operator.client.get(`/admin/v1/audit-log?subject=${node.nodeId}`))).toMatchObject({
      items: [{ action: 'device.ban', before: { banned: false }, after: { banned: true } }],
    })
  })

  test('404: an unknown key', async () => {
    await expectRefusal(ban(true, null, createNode().nodeId), '404 not_found')
  })

  test('revoking a node closes its socket too', async () => {
    const { relay } = await openRelay(node)
    const operator = await createOperator()
    await operator.client.post(`/admin/v1/nodes/${node.nodeId}/revoke`)
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
    expect(await device()).toMatchObject({ status: 'banned', status_reason: 'node_revoked' })
  })
})

describe('the owner of a device', () => {
  test('sees the current state of its socket; others do not', async () => {
    const { relay, session } = await openRelay(node)
    relay.ready(3)
    await relay.drain()
    const path = `/v1/devices/${node.nodeId}`
    expect(await bodyOf(owner.client.get(path))).toMatchObject({
      relay: {
        connected: true,
        session_id: session,
        since: expect.any(Number),
        latency_ms: expect.any(Number),
      },
      slots: 3,
      active_leases: 0,
    })
    const seen = await bodyOf<object>(client().get(path))
    for (const member of ['relay', 'slots', 'active_leases']) expect(seen).not.toHaveProperty(member)
  })
})
