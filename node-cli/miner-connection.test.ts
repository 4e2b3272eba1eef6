import { cpSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { offerId } from '../protocol/link/index.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { type HubSocket, helloFrame, json, type LinkHub, startLinkHub } from '../testing/node/link-hub.ts'
import {
  createHub,
  createMiner,
  createStage,
  publish,
  take,
  untilStatus,
} from '../testing/node/miner-stage.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { expectLogged, token } from '../testing/node/serving-node.ts'

const upgrades = (hub: LinkHub) => hub.requests.filter((one) => one.startsWith('UPGRADE')).length

describe('frames that are late or not allowed', () => {
  test('frames about closed offers change nothing', async () => {
    const { miner, project, node, socket } = await createStage()
    const strange = offerId({ round_id: `task:${hashText('strange')}`, position: 0 })
    socket.send({ type: 'voted', offer_id: strange, state: 'running' })
    socket.send({ type: 'cancel', offer_id: strange, reason: 'round_closed' })
    socket.send({ type: 'error', code: 'conflict', message: 'Too late.', offer_id: strange })
    const offer = project.offer(miner.key)
    await take(socket, offer)
    for (let i = 0; i < 2; i++) socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    socket.send({ type: 'cancel', offer_id: offer.offer_id, reason: 'round_closed' })
    await take(socket, project.offer(miner.key, { seq: 1 }))
    await untilStatus(node, { recent_leases: [{ state: 'voted' }, { state: 'counted', reason: null }] })
  })

  test.each<[string, (socket: HubSocket) => void, code: number]>([
    [
      'three broken frames',
      (socket) => {
        for (const text of ['{', '{"type":"offer"}', '{"type":"party"}']) socket.sendText(text)
      },
      1008,
    ],
    ['a frame of bytes', (socket) => socket.sendText(new Uint8Array(3)), 1003],
    ['a frame that is too long', (socket) => socket.sendText('x'.repeat(2_097_153)), 1009],
  ])('%s: the connection ends, and the node reconnects', async (_, send, code) => {
    const { hub, socket } = await createStage()
    send(socket)
    expect(await socket.closed).toBe(code)
    await (await hub.connection()).next('ready')
  })
})

test('status shows no other node than that of the data directory', async () => {
  const { hub, miner, node } = await createStage()
  const ask = (dataDir: string) =>
    nodectlHere(['status', '--data-dir', dataDir], { env: { NODE_BIND: new URL(node.url).host } })
  expect(await ask(miner.dataDir)).toMatchObject({ code: 0 })
  const other = createMiner(hub).dataDir
  const shown = await ask(other)
  expect([shown.code, shown.stdout]).toEqual([1, ''])
  expect(shown.stderr).toContain(`the node on ${node.url} is ${node.node_id}, not that of ${other}`)
})

describe('a node with a connection problem', () => {
  test.each([
    [4001, 'replaced', 'another process connected with the key of this node'],
    [4003, 'banned', 'an operator of the hub banned this device: for spam'],
  ])('reports why its connection was closed with %i, and keeps serving', async (code, state, problem) => {
    const { hub, miner, node, socket } = await createStage()
    socket.close(code, 'for spam')
    await untilStatus(node, {
      status: 'ok',
      relay: { connected: false, state, problem: expect.stringContaining(problem), session_id: null },
    })
    expectLogged(node, { level: 'error', message: `link: ${state}` })
    expect(upgrades(hub)).toBe(1)

    const at = ['--data-dir', miner.dataDir]
    const env = { NODE_API_TOKEN: token, NODE_BIND: node.url.slice('http://'.length) }
    const shown = await nodectlHere(['status', ...at], { env })
    expect(shown.stdout).toMatch(new RegExp(`^link +${state}: ${problem}`, 'm'))
    hub.answers.set(
      `GET /v1/devices/${node.node_id}`,
      json({ owner: `0x${'11'.repeat(20)}`, status: 'online', last_seen_at: 1 }),
    )
    const why = await nodectlHere(['why', ...at, '--hub-url', hub.origin, '--json'], { env })
    expect([why.code, JSON.parse(why.stdout)]).toEqual([
      1,
      {
        working: false,
        causes: [
          expect.objectContaining({ code: `relay_${state}`, message: expect.stringContaining(problem) }),
        ],
      },
    ])
  })

  test('is reported once it is stopped, but not on the machine that has a copy of its directory', async () => {
    const { hub, miner, node } = await createStage()
    const device = { owner: `0x${'11'.repeat(20)}`, status: 'online', last_seen_at: 1 }
    hub.answers.set(`GET /v1/devices/${node.node_id}`, json(device))
    const bind = node.url.slice('http://'.length)
    const ask = async (dataDir: string) => {
      const line = ['why', '--data-dir', dataDir, '--hub-url', hub.origin, '--json']
      const { code, stdout } = await nodectlHere(line, { env: { NODE_BIND: bind } })
      return { code, ...JSON.parse(stdout) }
    }
    expect(await ask(miner.dataDir)).toEqual({ code: 0, working: true, causes: [] })
    await node.stop()
    expect(await ask(miner.dataDir)).toEqual({
      code: 1,
      working: false,
      causes: [
        {
          code: 'offline',
          severity: 'error',
          message: `No node answers on ${bind} of this machine, where it served from ${miner.dataDir}.`,
          since: null,
          next_step: `Start it with nodectl serve --data-dir ${miner.dataDir}, or start its service.`,
          docs: `${hub.origin}/docs/causes/offline`,
        },
      ],
    })
    const copy = path.join(temporaryFolder(), 'copy')
    cpSync(miner.dataDir, copy, { recursive: true })
    expect(await ask(copy)).toMatchObject({ code: 0, causes: [] })
    const away = { ...device, status: 'offline' }
    hub.answers.set(`GET /v1/devices/${node.node_id}`, json(away))
    expect((await ask(miner.dataDir)).causes).toEqual([
      expect.objectContaining({ message: `The hub shows ${node.node_id} as offline.` }),
    ])
  })

  test('reports the reason if the hub refuses the connection', async () => {
    const hub = await createHub()
    hub.refusal = { status: 403, body: { error: 'forbidden', message: 'Bind this device first.' } }
    const node = await createMiner(hub).start()
    await untilStatus(node, {
      relay: { state: 'refused', problem: 'the hub refuses the connection (403): Bind this device first.' },
    })
  })

  test('takes no work if its parameters differ from those of the network', async () => {
    const hub = await createHub()
    hub.hello = () => helloFrame({ params_hash: hashText('other') })
    const node = await createMiner(hub).start()
    const socket = await hub.connection()
    expect(await socket.closed).toBe(1000)
    await untilStatus(node, {
      relay: { state: 'refused', problem: expect.stringContaining('other parameters') },
    })
    expect(socket.unread()).toEqual([])
  })

  test('continues without the hub, and reconnects to it', async () => {
    const hub = await createHub()
    const miner = createMiner(hub)
    const node = await miner.start()
    const socket = await hub.connection()
    socket.close(1012)
    const second = await hub.connection()
    await second.next('ready')
    await hub.stop()
    await untilStatus(node, { relay: { connected: false, state: 'away', session_id: null } })
    expect((await node.call('/health')).status).toBe(200)
    const port = Number(new URL(hub.origin).port)
    const back = await startLinkHub(port)
    const project = publish(back, miner)
    const third = await back.connection()
    await third.next('ready')
    await take(third, project.offer(miner.key))
    await back.stop()
  })

  test('follows a network whose time is moved ahead', async () => {
    const hub = await createHub()
    const miner = createMiner(hub)
    const aheadSeconds = 7200
    await miner.start(['--clock', 'hub'])
    const socket = await hub.connection()
    await socket.next('ready')
    hub.answers.set('GET /v1/status', (request, response) =>
      json({ time: unixNow() + aheadSeconds })(request, response, ''),
    )
    await take(socket, publish(hub, miner, { aheadSeconds }).offer(miner.key))
  })

  test('votes in time although its clock is off, and reports the difference', async () => {
    const hub = await createHub()
    hub.hello = () => helloFrame({ time: unixNow() - 200 })
    const miner = createMiner(hub)
    const project = publish(hub, miner)
    const node = await miner.start()
    const socket = await hub.connection()
    const frame = { accept_by: unixNow() - 190, vote_by: unixNow() - 170 }
    await take(socket, project.offer(miner.key, { frame }))
    await untilStatus(node, { relay: { clock_ahead_secs: expect.closeTo(-200, -1) } })
    expectLogged(node, { message: 'the clock of this machine is not that of the network' })
  })
})

test('a registered validator opens a link on which it receives rounds, and no offers', async () => {
  const hub = await createHub()
  const miner = createMiner(hub)
  const node = await miner.start(['--role', 'validator', '--node-url', 'http://127.0.0.1:7070'])
  expect(await (await hub.connection()).next('ready')).toMatchObject({
    role: 'validator',
    slots: 0,
    holding: [],
  })
  const [registered, linked] = ['POST /v1/nodes/heartbeat', 'UPGRADE /v1/relay'].map((one) =>
    hub.requests.indexOf(one),
  )
  expect(linked).toBeGreaterThan(registered!)
  await untilStatus(node, { hub: { state: 'registered' }, relay: { connected: true } })
})
