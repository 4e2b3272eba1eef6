import { expect, onTestFinished, test, vi } from 'vitest'
import {
  defaultNetworkParams,
  paramsScheduleOf,
  profileStrings,
  resolveProfile,
} from '../../../../protocol/identity/index.ts'
import { returnSecsMin, subprotocolsOf } from '../../../../protocol/link/index.ts'
import { usualAnswer } from '../../../../testing/node/hub-answers.ts'
import { helloFrame, json, type LinkHub, startLinkHub } from '../../../../testing/node/link-hub.ts'
import { nodeSigner } from '../../node-signer.ts'
import { type Clock, systemClock } from '../clock.ts'
import { hubClient, requestSigner } from '../hub/index.ts'
import { createTurns } from '../hub/testing/turns.ts'
import { createLog } from '../log.ts'
import { Link, type LinkStanding } from './link.ts'
import { type SocketPatience, socketPatience } from './link-socket.ts'

const profile = resolveProfile()
const ticketHeader = profileStrings(profile).ticket_header.toLowerCase()

async function open(
  prepare: (hub: LinkHub) => void = () => {},
  patience: Partial<SocketPatience> = {},
  clock: Clock = systemClock,
) {
  const hub = await startLinkHub()
  onTestFinished(hub.stop)
  prepare(hub)
  const turns = createTurns()
  const changes: LinkStanding[] = []
  const holding: string[] = []
  const link = new Link({
    client: hubClient(new URL(hub.origin)),
    profile,
    clock,
    signer: requestSigner(profile, nodeSigner(`0x${'11'.repeat(32)}`), systemClock),
    limits: defaultNetworkParams,
    paramsSchedule: paramsScheduleOf(profile.chain_id),
    ready: () => ({ slots: 1, engine: 'native', nodectl_version: '1.0.0', holding }),
    joined: () => {},
    heard: () => {},
    changed: (standing) => changes.push(standing),
    log: createLog('json', 'error', () => {}),
    patience: { ...socketPatience, ...patience },
    wait: turns.wait,
    random: () => 1,
  })
  onTestFinished(link.stop.bind(link))
  return { hub, link, holding, changes, ...turns }
}

test('a hub that answers pings keeps its connection, and the node knows the latency', async () => {
  const { hub, link, changes } = await open(undefined, { ping: 0.01 })
  await (await hub.connection()).next('ready')
  await expect.poll(() => link.standing.latencyMs).not.toBeNull()
  expect(changes.map(({ state }) => state)).toEqual(['connected'])
})

test('a hub that answers no ping is considered gone, and the node reconnects', async () => {
  const { hub, link, pause, next } = await open(
    (hub) => {
      hub.answersPings = false
    },
    { pong: 0.05 },
  )
  const socket = await hub.connection()
  expect(await socket.closed).toBe(1006)
  expect(await pause()).toBe(4)
  expect(link.standing).toMatchObject({ state: 'away', sessionId: null })
  expect(await next()).toBe(4)
})

test('the node gives up a hub that never says hello, and each new try waits longer', async () => {
  const { hub, link, pause, next } = await open(
    (hub) => {
      hub.hello = null
    },
    { hello: 0.05 },
  )
  const socket = await hub.connection()
  expect(await socket.closed).toBe(1008)
  expect(socket.unread()).toEqual([])
  expect(await pause()).toBe(4)
  expect(link.standing.problem).toContain('the hub did not send hello')
  expect(await next()).toBe(8)
})

test('announces what it takes again only if that has changed', async () => {
  const { hub, link, holding } = await open()
  const socket = await hub.connection()
  await socket.next('ready')
  link.announce()
  holding.push(`${'ab'.repeat(32)}.0`)
  link.announce()
  expect(await socket.next('ready')).toMatchObject({ holding })
  expect(socket.unread()).toEqual([])
})

test.each([
  ['from version 4 on', [4, 3], 'out of gas'],
  ['not before it', [3, 2], undefined],
  ['not of the first', undefined, undefined],
])('sends the reason of a failed run to a hub whose frames support it: %s', async (_, frames, error) => {
  const { hub, link } = await open((hub) => {
    hub.hello = () => helloFrame(frames && { frames })
  })
  const socket = await hub.connection()
  await socket.next('ready')
  const vote = {
    type: 'vote',
    offer_id: `${'ab'.repeat(32)}.0`,
    vote: {},
    output_b64: '',
    events: [],
  } as const
  link.send({ ...vote, vote: {} as never, error: 'out of gas' })
  expect(await socket.next('vote')).toEqual({ ...vote, ...(error && { error }) })
})

test('reconnects with its ticket at a random moment of the time that the hub asked for', async () => {
  const { hub, pause, next } = await open((hub) => {
    hub.hello = () =>
      helloFrame({ frames: [2, 1], nodectl_min: '1.0.0', retry_after: 40, ticket: 'dGlja2V0' })
  })
  const first = await hub.connection()
  await first.next('ready')
  expect(first.headers).not.toHaveProperty(ticketHeader)
  first.cut()
  expect(await pause()).toBe(40)
  void next()
  const second = await hub.connection()
  expect(second.headers).toMatchObject({ [ticketHeader]: 'dGlja2V0' })
})

test('forgets its ticket if the hub gives none, and offers every version of frames', async () => {
  const hellos = [helloFrame({ retry_after: 9, ticket: 'dGlja2V0' }), helloFrame()]
  const { hub, pause, next } = await open((hub) => {
    hub.hello = () => hellos.shift() ?? helloFrame()
  })
  for (const ticket of [undefined, 'dGlja2V0', undefined]) {
    const socket = await hub.connection()
    expect(socket.headers[ticketHeader]).toBe(ticket)
    expect(socket.headers['sec-websocket-protocol']).toBe(subprotocolsOf(profile).join(','))
    await socket.next('ready')
    socket.cut()
    expect(await pause()).toBe(9)
    void next()
  }
})

test.each([
  ['hello', (hub: LinkHub) => (hub.hello = () => helloFrame({ nodectl_min: '99.0.0' }))],
  [
    'its descriptor',
    (hub: LinkHub) =>
      hub.answers.set('GET /', (request, response) => {
        const descriptor = usualAnswer(request, 'miner') as { versions: object }
        json({ ...descriptor, versions: { ...descriptor.versions, nodectl_min: '99.0.0' } })(
          request,
          response,
          '',
        )
      }),
  ],
])(
  'does not work for a hub that, by %s, supports only later versions, and says what to install',
  async (_, prepare) => {
    const { link, pause } = await open(prepare)
    expect(await pause()).toBeGreaterThanOrEqual(60)
    expect(link.standing).toMatchObject({
      state: 'refused',
      problem: expect.stringMatching(/nodectl 99\.0\.0 or newer.*npm install -g @hub\/nodectl/),
    })
  },
)

test('asks for the identity of the hub each time before it signs anything for it', async () => {
  const { hub, pause, next } = await open((hub) => {
    hub.answers.set('GET /', (_, response) => void response.writeHead(200).end('hello'))
  })
  expect(await pause()).toBe(60)
  await next()
  expect(hub.requests).toEqual(['GET /', 'GET /'])
})

test('a node that stops closes its connection, and does not reconnect', async () => {
  const { hub, link } = await open()
  const socket = await hub.connection()
  await socket.next('ready')
  await link.stop()
  expect(await socket.closed).toBe(1000)
  expect(link.standing).toMatchObject({ state: 'stopped', problem: null })
  expect(link.send({ type: 'accept', offer_id: `${'ab'.repeat(32)}.0` })).toBe(false)
})

test('an unknown change of parameters is a warning, and ends the work once the longest epoch after it is over', async () => {
  let now = 1_800_000_000
  const from = now + 3_600
  const clock: Clock = { ...systemClock, now: () => now }
  const announced = { from, params_hash: `0x${'ab'.repeat(32)}` }
  const { hub, link, holding, pause } = await open(
    (hub) => {
      hub.hello = () => helloFrame({ time: now, frames: [2], next_params: announced })
    },
    { ping: 0.01 },
    clock,
  )
  const socket = await hub.connection()
  await socket.next('ready')
  expect(link.standing).toMatchObject({ state: 'connected', problem: null })
  expect(link.standing.warning).toContain('install one that does before then')
  now = from + 86_399
  await expect.poll(() => link.standing.latencyMs).not.toBeNull()
  holding.push(`${'ab'.repeat(32)}.0`)
  link.announce()
  expect(await socket.next('ready')).toMatchObject({ holding })
  now = from + 86_400
  expect(await socket.closed).toBe(1000)
  expect(await pause()).toBe(300)
  expect(link.standing).toMatchObject({ state: 'refused', problem: expect.stringContaining('does not know') })
})

test('the time of the hub goes on when the clock of the machine is set, and the difference is that of now', async () => {
  let now = 1_800_000_000
  const told = now + 12
  const begun = performance.now()
  const { hub, link } = await open(
    (hub) => {
      hub.hello = () => helloFrame({ time: told })
    },
    {},
    { ...systemClock, now: () => now },
  )
  expect([link.hubTime(), link.standing.clockAheadSeconds]).toEqual([now, null])
  await (await hub.connection()).next('ready')
  now += 500
  const since = link.hubTime() - told
  expect(since).toBeGreaterThanOrEqual(0)
  expect(since).toBeLessThanOrEqual((performance.now() - begun) / 1000)
  expect(link.standing.clockAheadSeconds).toBeLessThan(0)
})

test('a machine that slept, or whose clock was set, asks the hub for the time by a new connection', async () => {
  const { hub, link, pause, next } = await open(undefined, { ping: 0.01 })
  const socket = await hub.connection()
  await socket.next('ready')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await socket.closed).toBe(1000)
  expect(await pause()).toBe(returnSecsMin)
  expect(link.standing).toMatchObject({
    state: 'away',
    problem: expect.stringContaining('the machine slept'),
  })
  void next()
  await (await hub.connection()).next('ready')
  await expect.poll(() => link.standing.state).toBe('connected')
})

test('retries slowly while it is banned, reports the ban, and reconnects by itself once it is lifted', async () => {
  const { hub, link, changes, pause, next } = await open()
  const socket = await hub.connection()
  await socket.next('ready')
  socket.close(4003, 'this device is banned')
  expect(await pause()).toBe(60)
  hub.refusal = {
    status: 403,
    body: { error: 'forbidden', message: 'It is banned.', details: { reason: 'banned' } },
  }
  expect([await next(), await next()]).toEqual([60, 60])
  hub.refusal = null
  void next()
  await (await hub.connection()).next('ready')
  await expect.poll(() => link.standing.state).toBe('connected')
  const said = expect.stringContaining('comes back by itself once the ban is lifted')
  expect(changes).toMatchObject([
    { state: 'connected' },
    { state: 'banned', problem: said },
    { state: 'banned', problem: said },
    { state: 'connected', problem: null },
  ])
})
