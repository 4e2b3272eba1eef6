import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import { offerId } from '../protocol/link/index.ts'
import { echo, filler, spinner } from '../testing/node/artifacts.ts'
import { type HubSocket, helloFrame, json, type LinkHub, startLinkHub } from '../testing/node/link-hub.ts'
import { unixNow } from '../testing/node/miner-project.ts'
import {
  createHub,
  createMiner,
  createStage,
  publish,
  take,
  untilStatus,
  votesIn,
} from '../testing/node/miner-stage.ts'
import { buildNodectl, nodectl } from '../testing/node/nodectl.ts'
import { token } from '../testing/node/serving-node.ts'

beforeAll(buildNodectl)

/** Runs for a while. */
const slow = { module: spinner, functions: ['f'], maxGas: 400_000_000 }
const slowTask = { task: { gas_limit: slow.maxGas } }

const upgrades = (hub: LinkHub) => hub.requests.filter((one) => one.startsWith('UPGRADE')).length
const away = { status: 503, body: { error: 'unavailable', message: 'Come again.' } }

describe('slots', () => {
  test('what is offered beyond them is declined as busy, until a vote makes room', async () => {
    const { miner, project, socket } = await createStage({ ...slow, flags: ['--workers', '1'] })
    const [first, second, third] = [0, 1, 2].map((seq) => project.offer(miner.key, { seq, ...slowTask }))
    for (const offer of [first!, second!, third!]) socket.send(offer)
    expect(await socket.next('decline')).toMatchObject({ offer_id: second!.offer_id, reason: 'busy' })
    expect(await socket.next('decline')).toMatchObject({ offer_id: third!.offer_id, reason: 'busy' })
    expect(await socket.next('vote')).toMatchObject({ offer_id: first!.offer_id })
    await take(socket, project.offer(miner.key, { seq: 3 }))
  })

  test('a node that stops takes nothing more, votes on what runs, and exits 0', async () => {
    const { miner, project, node, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    const stopped = node.stop()
    expect(await socket.next('ready')).toMatchObject({ slots: 0, holding: [offer.offer_id] })
    const late = project.offer(miner.key, { seq: 1 })
    socket.send(late)
    expect(await socket.next('decline')).toMatchObject({ offer_id: late.offer_id, reason: 'stopping' })
    expect(await socket.next('vote')).toMatchObject({ offer_id: offer.offer_id })
    expect([await stopped, await socket.closed]).toEqual([0, 1000])
  })
})

describe('one vote for each round, whatever happens to the connection', () => {
  test('a node that is killed with a vote that was not sent sends the same one when it is back', async () => {
    const { hub, miner, project, node, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    hub.refusal = away
    socket.cut()
    await expect.poll(() => votesIn(miner.dataDir).length).toBe(1)
    await node.kill()
    const [stored] = votesIn(miner.dataDir)

    hub.refusal = null
    await miner.start()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [offer.offer_id] })
    expect(await again.next('accept')).toMatchObject({ offer_id: offer.offer_id })
    expect(await again.next('vote')).toMatchObject({ offer_id: offer.offer_id, vote: stored })
    // What the hub sends again, because it heard of no vote, gets that vote too.
    again.send(offer)
    expect(await again.next('vote')).toMatchObject({ vote: stored })
    expect(votesIn(miner.dataDir)).toEqual([stored])
  })

  test('a node that is killed while it runs holds nothing, and runs what is offered again', async () => {
    const { hub, miner, project, node, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    await node.kill()
    const back = await miner.start()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [] })
    await untilStatus(back, { recent_leases: [{ state: 'missed', reason: 'the node was stopped' }] })
    await take(again, offer)
    await untilStatus(back, { recent_leases: [{ offer_id: offer.offer_id, state: 'voted' }] })
  })

  test('a cut connection: the node comes back, says what it holds, and votes on it', async () => {
    const { hub, miner, project, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    socket.cut()
    const again = await hub.connection()
    expect(await again.next('ready')).toMatchObject({ holding: [offer.offer_id] })
    expect(await again.next('accept')).toMatchObject({ offer_id: offer.offer_id })
    expect(await again.next('vote')).toMatchObject({ offer_id: offer.offer_id })
  })

  test('an offer that comes twice runs once', async () => {
    const { miner, project, node, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    socket.send(offer)
    await socket.next('accept')
    const { vote } = await socket.next('vote')
    socket.send(offer)
    expect((await socket.next('vote')).vote).toEqual(vote)
    socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    await untilStatus(node, { counts: { executions: 1, votes: 1 }, active_leases: [] })
  })

  test('an offer that the hub has forgotten is run again, for the same vote', async () => {
    const { miner, project, node, socket } = await createStage()
    const offer = project.offer(miner.key)
    const first = await take(socket, offer)
    socket.send({ type: 'voted', offer_id: offer.offer_id, state: 'running' })
    await untilStatus(node, { active_leases: [] })
    expect(await take(socket, offer)).toEqual(first)
    expect(votesIn(miner.dataDir)).toEqual([first.vote])
  })

  test('a hub that cannot take the vote now gets it again; one that refuses it does not', async () => {
    const { miner, project, node, socket } = await createStage()
    const offer = project.offer(miner.key)
    const { vote } = await take(socket, offer)
    const error = { type: 'error', offer_id: offer.offer_id } as const
    socket.send({ ...error, code: 'unavailable', message: 'Not now.' })
    expect((await socket.next('vote')).vote).toEqual(vote)
    socket.send({ ...error, code: 'invalid_evidence', message: 'The receipt is of another run.' })
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'refused', reason: 'The receipt is of another run.' }],
      last_errors: [{ message: 'lease refused' }],
    })
  })

  test('what the hub takes back is not voted on', async () => {
    const { miner, project, node, socket } = await createStage(slow)
    const offer = project.offer(miner.key, slowTask)
    socket.send(offer)
    await socket.next('accept')
    socket.send({ type: 'cancel', offer_id: offer.offer_id, reason: 'round_closed' })
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'cancelled', reason: 'round_closed' }],
      queue: { running: 0 },
    })
    expect(votesIn(miner.dataDir)).toEqual([])
  })

  test('what does not end in time is not voted on', async () => {
    const { miner, project, node, socket } = await createStage({
      ...slow,
      module: filler,
      maxGas: 10_000_000_000,
    })
    const frame = { vote_by: unixNow() + 10, accept_by: unixNow() + 10 }
    socket.send(project.offer(miner.key, { task: { gas_limit: 10_000_000_000 }, frame }))
    await socket.next('accept')
    await untilStatus(node, {
      active_leases: [],
      recent_leases: [{ state: 'missed', reason: 'the run did not end in time' }],
      queue: { running: 0 },
    })
    expect(votesIn(miner.dataDir)).toEqual([])
  })
})

describe('a data directory that cannot be written', () => {
  /** Another program keeps the database for itself, until it is told to let go. */
  const hold = (dataDir: string) => {
    const db = new DatabaseSync(path.join(dataDir, 'node.sqlite'))
    db.exec('BEGIN IMMEDIATE')
    return () => db.close()
  }

  test('the vote of a run that cannot be stored is not sent; the node says why, and goes on', async () => {
    const gas_limit = 3_000_000_000
    const { miner, project, node, socket } = await createStage({ ...slow, maxGas: gas_limit })
    const offer = project.offer(miner.key, { task: { gas_limit } })
    socket.send(offer)
    await socket.next('accept')
    const letGo = hold(miner.dataDir)
    expect(await socket.next('decline')).toMatchObject({ offer_id: offer.offer_id, reason: 'busy' })
    await expect
      .poll(() => node.log())
      .toContainEqual(
        expect.objectContaining({
          level: 'error',
          message: 'offer declined',
          problem: 'the data directory cannot be used: database is locked',
        }),
      )
    letGo()
    expect(votesIn(miner.dataDir)).toEqual([])
    const next = await take(socket, project.offer(miner.key, { seq: 1 }))
    expect(votesIn(miner.dataDir)).toEqual([next.vote])
    expect(await node.stop()).toBe(0)
  })

  test('no offer is accepted whose lease cannot be stored', async () => {
    const { miner, project, socket } = await createStage()
    // What the offer needs is here, so that the lease is the first that is stored.
    await take(socket, project.offer(miner.key))
    const letGo = hold(miner.dataDir)
    const offer = project.offer(miner.key, { seq: 1 })
    socket.send(offer)
    expect(await socket.next('decline')).toMatchObject({ offer_id: offer.offer_id, reason: 'busy' })
    expect(socket.unread()).toEqual([])
    letGo()
    await take(socket, offer)
  })
})

describe('frames that are late, or that nobody may send', () => {
  test('what is said of offers that are over changes nothing', async () => {
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
  ])('%s end the connection, and the node comes back', async (_, send, code) => {
    const { hub, socket } = await createStage()
    send(socket)
    expect(await socket.closed).toBe(code)
    await (await hub.connection()).next('ready')
  })
})

describe('a node that does not get through', () => {
  test.each([
    [4001, 'replaced', 'another process connected with the key of this node'],
    [4003, 'banned', 'an operator of the hub banned this device: for spam'],
  ])('closed with %i it stays away, says why, and keeps serving', async (code, state, problem) => {
    const { hub, miner, node, socket } = await createStage()
    socket.close(code, 'for spam')
    await untilStatus(node, {
      status: 'ok',
      relay: { connected: false, state, problem: expect.stringContaining(problem), session_id: null },
    })
    expect(node.log()).toContainEqual(expect.objectContaining({ level: 'error', message: `link: ${state}` }))
    expect(upgrades(hub)).toBe(1)

    const at = ['--data-dir', miner.dataDir]
    const env = { NODE_API_TOKEN: token, NODE_BIND: node.url.slice('http://'.length) }
    const shown = await nodectl(['status', ...at], { env })
    expect(shown.stdout).toMatch(new RegExp(`^link +${state}: ${problem}`, 'm'))
    hub.answers.set(
      `GET /v1/devices/${node.node_id}`,
      json({ owner: `0x${'11'.repeat(20)}`, status: 'online', last_seen_at: 1 }),
    )
    const why = await nodectl(['why', ...at, '--hub-url', hub.origin, '--json'], { env })
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

  test('refused, it says what the hub says', async () => {
    const hub = await createHub()
    hub.refusal = { status: 403, body: { error: 'forbidden', message: 'Bind this device first.' } }
    const node = await createMiner(hub).start()
    await untilStatus(node, {
      relay: { state: 'refused', problem: 'the hub refuses the connection (403): Bind this device first.' },
    })
  })

  test('banned before it came, it stays away', async () => {
    const hub = await createHub()
    const details = { reason: 'banned' }
    hub.refusal = { status: 403, body: { error: 'forbidden', message: 'This device is banned.', details } }
    const node = await createMiner(hub).start()
    await untilStatus(node, { relay: { state: 'banned' } })
  })

  test('with other parameters than the network it takes no work', async () => {
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

  test('it goes on without the hub, and comes back to it', async () => {
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

  test('it follows a network whose time is moved ahead', async () => {
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

  test('it is not late by a clock that is off, and says that it is', async () => {
    const hub = await createHub()
    hub.hello = () => helloFrame({ time: unixNow() - 200 })
    const miner = createMiner(hub)
    const project = publish(hub, miner)
    const node = await miner.start()
    const socket = await hub.connection()
    const frame = { accept_by: unixNow() - 190, vote_by: unixNow() - 170 }
    await take(socket, project.offer(miner.key, { frame }))
    await untilStatus(node, { relay: { clock_ahead_secs: expect.closeTo(-200, -1) } })
    expect(node.log()).toContainEqual(
      expect.objectContaining({ message: 'the clock of this machine is not that of the network' }),
    )
  })
})

test('a validator opens no link', async () => {
  const hub = await createHub()
  const miner = createMiner(hub)
  const node = await miner.start(['--role', 'validator', '--node-url', 'http://127.0.0.1:7070'])
  await untilStatus(node, { hub: { state: 'registered' } })
  expect((await node.call('/status')).json).not.toHaveProperty('relay')
  expect(upgrades(hub)).toBe(0)
})

describe('the benchmark', () => {
  const suiteOf = (receipt_hash: string) => ({
    suite: 'bench-v1',
    cases: [
      {
        name: 'echo',
        module_address: echo.address,
        function: 'echo',
        input: '{"msg":"hi"}',
        gas_limit: 1_000_000,
        receipt_hash,
      },
    ],
  })
  /** Of the echo module on this input. */
  const pinned = '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6'
  const asked = (hub: LinkHub) => hub.requests.filter((one) => one === 'GET /v1/benchmarks/current').length

  test('is run once for an engine and a version, before any work, and told with the profile', async () => {
    const hub = await createHub()
    const miner = createMiner(hub)
    publish(hub, miner)
    hub.answers.set('GET /v1/benchmarks/current', json(suiteOf(pinned)))
    const node = await miner.start()
    await (await hub.connection()).next('ready')
    const benchmark = {
      suite: 'bench-v1',
      ran_at: expect.any(Number),
      engine: 'native',
      cases: [{ name: 'echo', receipt_hash: pinned, gas_used: 581, elapsed_us: expect.any(Number) }],
      mgas_per_s: [expect.any(Number)],
      score: expect.any(Number),
    }
    await untilStatus(node, { benchmark: { ...benchmark, differing: [] } })
    await node.stop()
    const again = await miner.start()
    await (await hub.connection()).next('ready')
    await expect.poll(() => hub.profiles.at(-1)?.benchmark).toEqual(benchmark)
    expect(asked(hub)).toBe(1)
    await again.stop()
    await miner.start([], { NODE_ENGINE: 'pulley' })
    await (await hub.connection()).next('ready')
    expect(asked(hub)).toBe(2)
  })

  test('that gives other receipts is told, and says so', async () => {
    const hub = await createHub()
    const miner = createMiner(hub)
    publish(hub, miner)
    hub.answers.set('GET /v1/benchmarks/current', json(suiteOf(hashText('other'))))
    const node = await miner.start()
    await untilStatus(node, {
      benchmark: { differing: ['echo'] },
      last_errors: [{ message: expect.stringContaining('the benchmark gives other receipts') }],
    })
  })
})
