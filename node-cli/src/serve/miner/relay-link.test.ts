import { expect, onTestFinished, test } from 'vitest'
import {
  defaultNetworkParams,
  hashNetworkParams,
  resolveProfile,
} from '../../../../protocol/identity/index.ts'
import { type RelayHub, startRelayHub } from '../../../../testing/node/relay-hub.ts'
import { nodeSigner } from '../../node-signer.ts'
import { systemClock } from '../clock.ts'
import { hubClient, requestSigner } from '../hub/index.ts'
import { createTurns } from '../hub/testing/turns.ts'
import { createLog } from '../log.ts'
import { RelayLink, type RelayStanding } from './relay-link.ts'
import { type SocketPatience, socketPatience } from './relay-socket.ts'

const profile = resolveProfile()

async function link(prepare: (hub: RelayHub) => void = () => {}, patience: Partial<SocketPatience> = {}) {
  const hub = await startRelayHub()
  onTestFinished(hub.stop)
  prepare(hub)
  const turns = createTurns()
  const changes: RelayStanding[] = []
  const holding: string[] = []
  const relay = new RelayLink({
    client: hubClient(new URL(hub.origin)),
    profile,
    clock: systemClock,
    signer: requestSigner(profile, nodeSigner(`0x${'11'.repeat(32)}`), systemClock),
    limits: defaultNetworkParams,
    paramsHash: hashNetworkParams(defaultNetworkParams),
    ready: () => ({ slots: 1, engine: 'native', nodectl_version: '1.0.0', holding }),
    joined: () => {},
    heard: () => {},
    changed: (standing) => changes.push(standing),
    log: createLog('json', 'error', () => {}),
    patience: { ...socketPatience, ...patience },
    wait: turns.wait,
    random: () => 1,
  })
  onTestFinished(relay.stop.bind(relay))
  return { hub, relay, holding, changes, ...turns }
}

test('a hub that answers pings keeps its connection, and the node knows how far away it is', async () => {
  const { hub, relay, changes } = await link(undefined, { ping: 0.01 })
  await (await hub.connection()).next('ready')
  await expect.poll(() => relay.standing.latencyMs).not.toBeNull()
  expect(changes.map(({ state }) => state)).toEqual(['connected'])
})

test('a hub that answers no ping is taken for gone, and the node connects again', async () => {
  const { hub, relay, pause, next } = await link(
    (hub) => {
      hub.answersPings = false
    },
    { pong: 0.05 },
  )
  const socket = await hub.connection()
  expect(await socket.closed).toBe(1006)
  expect(await pause()).toBe(4)
  expect(relay.standing).toMatchObject({ state: 'away', sessionId: null })
  expect(await next()).toBe(4)
})

test('a hub that never says hello gets no more of the time of the node, and each try waits longer', async () => {
  const { hub, relay, pause, next } = await link(
    (hub) => {
      hub.hello = null
    },
    { hello: 0.05 },
  )
  const socket = await hub.connection()
  expect(await socket.closed).toBe(1008)
  expect(socket.unread()).toEqual([])
  expect(await pause()).toBe(4)
  expect(relay.standing.problem).toContain('the hub never said hello')
  expect(await next()).toBe(8)
})

test('says what it takes again only when that has changed', async () => {
  const { hub, relay, holding } = await link()
  const socket = await hub.connection()
  await socket.next('ready')
  relay.announce()
  holding.push(`${'ab'.repeat(32)}.0`)
  relay.announce()
  expect(await socket.next('ready')).toMatchObject({ holding })
  expect(socket.unread()).toEqual([])
})

test('asks who the hub is before it signs anything for it, each time', async () => {
  const { hub, pause, next } = await link((hub) => {
    hub.answers.set('GET /', (_, response) => void response.writeHead(200).end('hello'))
  })
  expect(await pause()).toBe(60)
  await next()
  expect(hub.requests).toEqual(['GET /', 'GET /'])
})

test('a node that stops closes its connection, and does not come back', async () => {
  const { hub, relay } = await link()
  const socket = await hub.connection()
  await socket.next('ready')
  await relay.stop()
  expect(await socket.closed).toBe(1000)
  expect(relay.standing).toMatchObject({ state: 'stopped', problem: null })
  expect(relay.send({ type: 'accept', offer_id: `${'ab'.repeat(32)}.0` })).toBe(false)
})
