import { expect, onTestFinished, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../../../../protocol/identity/index.ts'
import { descriptorOf, usualAnswer } from '../../../../testing/node/hub-answers.ts'
import { AdjustableClock } from '../clock.ts'
import { explainOffset } from './clock.ts'
import { hubClient } from './hub-client.ts'
import { type HubStanding, keepRegistered } from './registration.ts'
import { type Answerer, sendJson, startLyingHub } from './testing/lying-hub.ts'
import { createTurns } from './testing/turns.ts'

const deviceProfile = {
  class: 'server',
  platform: 'linux',
  os_version: null,
  arch: 'x64',
  engine: 'native',
  miner_version: '1.0.0',
  nodectl_version: '1.0.0',
  hardware: {
    cpu_model: null,
    cpu_cores: 1,
    cpu_threads: 1,
    ram_mb: 1,
    storage_free_mb: null,
    battery: null,
    os: 'linux',
    arch: 'x64',
  },
} as const

/** Answers as a hub, by method and path; other requests get the usual answer of a hub. */
const hubAnswers =
  (answers: () => Readonly<Record<string, Answerer>>): Answerer =>
  (request, response) => {
    const given = answers()[`${request.method} ${request.url}`]
    if (given !== undefined) return given(request, response)
    return sendJson(response, usualAnswer(request, 'miner') ?? {})
  }

function keep(origin: string, benchmarkRanAt: () => number | null = () => null, followsTime = false) {
  const turns = createTurns()
  const changes: HubStanding[] = []
  const registration = keepRegistered({
    client: hubClient(new URL(origin)),
    profile: resolveProfile(),
    nodeId: 'node-1',
    signer: () => ({ 'X-Signed': 'yes' }),
    registration: { role: 'miner', url: null, engine: 'native', nodectlVersion: '1.0.0', capabilities: [] },
    health: () => 'online',
    deviceProfile: () => deviceProfile,
    benchmarkRanAt,
    beforeEach: async () => {},
    followsTime,
    afterEach: async () => {},
    explain: () =>
      explainOffset(hubClient(new URL(origin)), new AdjustableClock(), defaultNetworkParams.max_skew),
    changed: (standing) => changes.push(standing),
    wait: turns.wait,
    random: () => 1,
  })
  onTestFinished(registration.stop)
  return { ...turns, standing: registration.standing, changes }
}

test('a node stays registered if the hub refuses its profile, and shows the problem', async () => {
  const refuse: Answerer = (_, response) =>
    sendJson(response, { error: 'invalid_field', message: 'class: no.' }, 400)
  const { origin } = await startLyingHub(hubAnswers(() => ({ 'PUT /v1/devices/node-1/profile': refuse })))
  const { pause, next, standing } = keep(origin)
  expect(await pause()).toBe(5)
  expect(await next()).toBe(5)
  expect(standing()).toMatchObject({
    state: 'registered',
    problem: 'the hub refuses the profile of this device: the hub refuses: class: no.',
  })
})

test('a bound device sends its profile again once after its benchmark has run', async () => {
  const hub = await startLyingHub(hubAnswers(() => ({})))
  let ranAt: number | null = null
  const { pause, next } = keep(hub.origin, () => ranAt)
  const described = () => hub.requests.filter((one) => one.startsWith('PUT')).length
  await pause()
  await next()
  expect(described()).toBe(1)
  ranAt = 5
  await next()
  await next()
  expect(described()).toBe(2)
})

test('a bound device describes itself again after a while, and notices that it is bound no more', async () => {
  let isBound = true
  const unknown: Answerer = (_, response) => sendJson(response, { error: 'not_found', message: 'No.' }, 404)
  const hub = await startLyingHub(
    hubAnswers(() => (isBound ? {} : { 'PUT /v1/devices/node-1/profile': unknown })),
  )
  const { pause, next, standing } = keep(hub.origin)
  const described = () => hub.requests.filter((one) => one.startsWith('PUT')).length
  await pause()
  expect(standing().isBound).toBe(true)
  // Another owner begins without a profile.
  for (let beat = 0; beat < 10; beat++) await next()
  expect(described()).toBe(2)
  isBound = false
  for (let beat = 0; beat < 10; beat++) await next()
  expect(standing().isBound).toBe(false)
})

test.each([
  [
    'another time',
    7_200,
    /^the hub refuses: Too old\. The clock may be the cause: this machine is \d+ s behind the hub\. .*--clock hub\.$/,
  ],
  ['the same time', 0, /^the hub refuses: Too old\.$/],
])('a refusal of a hub with %s', async (_, ahead, problem) => {
  const hub = await startLyingHub(
    hubAnswers(() => ({
      'POST /v1/nodes/heartbeat': (_, response) =>
        sendJson(response, { error: 'unauthorized', message: 'Too old.' }, 401),
      'GET /v1/status': (_, response) => sendJson(response, { time: Math.floor(Date.now() / 1000) + ahead }),
    })),
  )
  const { pause, standing } = keep(hub.origin)
  await pause()
  expect(standing()).toMatchObject({ state: 'refused', problem: expect.stringMatching(problem) })
})

test.each([
  ['that follows the time of its hub tries again at once, since time may have leapt in between', true, 1],
  ['with a time of its own waits for a person', false, 330],
])('a node %s', async (_, followsTime, seconds) => {
  let isTooOld = true
  const hub = await startLyingHub(
    hubAnswers(() => ({
      ...(isTooOld && {
        'POST /v1/nodes/heartbeat': (_, response) =>
          sendJson(response, { error: 'unauthorized', message: 'Too old.' }, 401),
      }),
    })),
  )
  const { pause, next, standing } = keep(hub.origin, () => null, followsTime)
  expect(await pause()).toBeCloseTo(seconds)
  isTooOld = false
  expect(await next()).toBe(5)
  expect(standing()).toMatchObject({ state: 'registered', problem: null })
})

test('after a silence, the node checks which hub answers before it signs anything', async () => {
  let answers: Readonly<Record<string, Answerer>> = {}
  const hub = await startLyingHub(hubAnswers(() => answers))
  const { pause, next, standing } = keep(hub.origin)
  await pause()
  answers = { 'POST /v1/nodes/heartbeat': (_, response) => void response.destroy() }
  expect(await next()).toBe(1)
  answers = {
    'GET /': (request, response) =>
      sendJson(response, descriptorOf(`http://${request.headers.host}`, { network: 'other' })),
  }
  const before = hub.requests.length
  await next()
  expect(hub.requests.slice(before)).toEqual(['GET /'])
  expect(standing()).toMatchObject({
    state: 'refused',
    problem: expect.stringContaining('is the hub of other'),
  })
  answers = {}
  expect(await next()).toBe(5)
  expect(standing().state).toBe('registered')
})

test.each([
  [1, 5],
  [45, 45],
  [100_000, 60],
])('a hub that wants to be called every %i s is called every %i s', async (wished, seconds) => {
  const beat: Answerer = (_, response) => sendJson(response, { status: 'approved', next_in_secs: wished })
  const { origin } = await startLyingHub(hubAnswers(() => ({ 'POST /v1/nodes/heartbeat': beat })))
  expect(await keep(origin).pause()).toBe(seconds)
})

test('a busy hub is called again when it says', async () => {
  const busy: Answerer = (_, response) => {
    response.setHeader('Retry-After', '90')
    sendJson(response, { error: 'rate_limited', message: 'Too many.' }, 429)
  }
  const { origin } = await startLyingHub(hubAnswers(() => ({ 'POST /v1/nodes/register': busy })))
  const { pause, standing } = keep(origin)
  expect(await pause()).toBe(90)
  expect(standing().state).toBe('away')
})
