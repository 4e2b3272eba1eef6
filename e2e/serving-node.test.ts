import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { sendJson, startLyingHub } from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { resolveProfile, signRequest } from '../protocol/identity/index.ts'
import { evmAddress } from '../protocol/signatures/index.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { startNode, startNodeHere, token } from '../testing/node/serving-node.ts'
import { signIn } from '../testing/session.ts'

const profile = resolveProfile()
const coordinatorSeed = `0x${'c0'.repeat(32)}`
const operatorKey = generatePrivateKey()
let hub: TestHub
/** The origin of the hub, which answers once the door is open. */
let origin: string
/** Between nodes and the hub: until it is open, nobody answers there. */
const door = createServer((caller) => {
  const callee = connect(Number(hub.urls[0]!.port), '127.0.0.1')
  caller.pipe(callee).pipe(caller)
  for (const socket of [caller, callee]) socket.on('error', () => caller.destroy() && callee.destroy())
})
const openDoor = async () => {
  if (!door.listening) await once(door.listen(Number(new URL(origin).port), '127.0.0.1'), 'listening')
}

beforeAll(async () => {
  origin = `http://localhost:${await pickPort()}`
  hub = await startTestHub(
    {
      BASE_URL: origin,
      OPERATOR_ADDRESSES: evmAddress(operatorKey),
      COORDINATOR_SEED: coordinatorSeed,
    },
    // The modules of the benchmark are among them.
    { files: true },
  )
})
afterAll(async () => {
  door.close()
  await hub?.stop()
})

test('a node serves while its hub is away, registers when it is back, and accepts calls of its coordinator', async () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const flags = ['--hub-url', origin]
  const node = await startNode(dataDir, { flags })
  const link = async () => (await node.call('/status')).json.hub
  await expect.poll(async () => (await link()).state).toBe('away')
  expect(await link()).toMatchObject({ problem: expect.stringContaining('no hub answers'), heard_at: null })
  expect((await node.call('/health')).status).toBe(200)
  expect(await callAsCoordinator(node.url)).toBe(403)

  await openDoor()
  await expect.poll(async () => (await link()).state).toBe('registered')
  expect(await link()).toEqual({
    url: origin,
    state: 'registered',
    problem: null,
    heard_at: expect.any(Number),
    device_bound: false,
    clock_offset_secs: 0,
  })
  const operator = await signIn(hub.urls[0]!, undefined, operatorKey)
  expect(await (await operator.get('/admin/v1/nodes')).json()).toMatchObject({
    items: [
      expect.objectContaining({
        node_id: node.node_id,
        role: 'miner',
        url: null,
        health: 'online',
        status: 'approved',
      }),
    ],
  })
  await expect.poll(() => callAsCoordinator(node.url)).toBe(200)

  const shown = await nodectl(['status', '--url', node.url], { env: { NODE_API_TOKEN: token } })
  expect([shown.code, shown.stderr]).toEqual([0, ''])
  expect(shown.stdout).toMatch(
    new RegExp(`^node {4}${node.node_id} \\(nodectl 1\\.0\\.0, up \\d+ s\\)$`, 'm'),
  )
  expect(shown.stdout).toMatch(/^does {4}miner of hub-testnet, engine native$/m)
  expect(shown.stdout).toMatch(
    /^hub {5}registered at http:\/\/localhost:\d+; the device is bound to no wallet \(nodectl bind\)$/m,
  )
  expect(shown.stdout).toMatch(/^queue {3}0 running, 0 waiting, \d+ at once$/m)
  const redacted = await nodectlHere(['status', '--url', node.url, '--json'])
  expect(JSON.parse(redacted.stdout)).not.toHaveProperty('hub')
  expect(redacted.stderr).toContain('set NODE_API_TOKEN in the environment to see all of it')
  const wrong = await nodectlHere(['status', '--url', node.url], { env: { NODE_API_TOKEN: 'x'.repeat(20) } })
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('has another token than NODE_API_TOKEN'),
  ])

  const levels = node.log().map(({ level, message }) => `${level} ${message}`)
  expect(levels.filter((line) => line === 'warn the hub does not answer; the node goes on')).toHaveLength(1)
  expect(await node.stop()).toBe(0)
})

/** The status that a signed call of the coordinator is answered with: 403 while the node does not know it. */
async function callAsCoordinator(url: string): Promise<number> {
  const target = '/health'
  const { headers } = signRequest(profile, coordinatorSeed, {
    method: 'GET',
    target,
    body: '',
    timestamp: Math.floor(Date.now() / 1000),
    nonce: crypto.randomUUID().replaceAll('-', ''),
  })
  return (await fetch(url + target, { headers })).status
}

test('a node whose device is bound connects to the relay of a hub, and runs its benchmark', async () => {
  await openDoor()
  const dataDir = path.join(temporaryFolder(), 'node')
  await nodectlHere(['keygen', '--data-dir', dataDir])
  const at = ['--data-dir', dataDir, '--hub-url', origin]
  const wallet = privateKeyToAccount(generatePrivateKey())
  const { stdout: message } = await nodectlHere(['bind', ...at, '--owner', wallet.address])
  const signature = await wallet.signMessage({ message: message.replace(/\n$/, '') })
  expect((await nodectlHere(['bind', ...at, '--signature', signature])).code).toBe(0)

  const node = await startNodeHere(dataDir, { flags: ['--hub-url', origin, '--log-format', 'json'] })
  const device = async () => (await fetch(`${origin}/v1/devices/${node.node_id}`)).json()
  await expect
    .poll(async () => (await node.call('/status')).json)
    .toMatchObject({
      relay: { connected: true, problem: null, session_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
      benchmark: { suite: 'bench-v1', differing: [] },
      active_leases: [],
    })
  await expect.poll(device).toMatchObject({ status: 'online', connected_since: expect.any(Number) })
  await node.stop()

  // The node sends its benchmark with the profile of its next heartbeat.
  await startNodeHere(dataDir, { flags: ['--hub-url', origin] })
  await expect.poll(device).toMatchObject({ benchmark: { suite: 'bench-v1', score: expect.any(Number) } })
})

test('a node follows the time of its hub if its settings say so, and logs it', async () => {
  // Not by faked timers, whose time `expect.poll` moves: no second may pass between a signature and its check.
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  onTestFinished(() => now.mockRestore())
  const hub = await startLyingHub((request, response) => {
    if (request.url === '/') return sendJson(response, descriptorOf(`http://${request.headers.host}`))
    if (request.url === '/v1/status')
      return sendJson(response, { time: Math.floor(Date.now() / 1000) + 7200 })
    if (request.url?.startsWith('/v1/validators/generations'))
      return sendJson(response, { items: [], next_cursor: null })
    if (request.url === '/v1/nodes/heartbeat')
      return sendJson(response, { status: 'approved', next_in_secs: 30 })
    return sendJson(response, { node_id: 'node-', role: 'miner', status: 'approved', url: null })
  })
  const signedAt = (call: string) =>
    Number(hub.headers.get(call)?.['x-hub-timestamp']) - Math.floor(Date.now() / 1000)
  for (const [clock, ahead] of [
    ['hub', 7200],
    ['system', 0],
  ] as const) {
    const flags = ['--hub-url', hub.origin, '--clock', clock]
    const node = await startNodeHere(path.join(temporaryFolder(), 'node'), { flags })
    await expect.poll(async () => (await node.call('/status')).json.hub.state).toBe('registered')
    expect((await node.call('/status')).json.hub.clock_offset_secs).toBe(ahead)
    expect(signedAt('POST /v1/nodes/heartbeat')).toBe(ahead)
    await node.stop()
  }
})

test('a hub of another network gets no signature, and the node goes on', async () => {
  const hub = await startLyingHub((request, response) =>
    sendJson(response, descriptorOf(`http://${request.headers.host}`, { network: 'other' })),
  )
  const node = await startNodeHere(path.join(temporaryFolder(), 'node'), {
    flags: ['--hub-url', hub.origin],
  })
  await expect.poll(async () => (await node.call('/status')).json.hub.state).toBe('refused')
  expect((await node.call('/status')).json.hub.problem).toBe(
    `${hub.origin} is the hub of other, not of hub-testnet. If you mean other, add --network other`,
  )
  expect(new Set(hub.requests)).toEqual(new Set(['GET /']))
  expect([...hub.headers.values()].flatMap(Object.keys).filter((name) => name.startsWith('x-hub-'))).toEqual(
    [],
  )
  await node.stop()
})

test('the wait for the next heartbeat does not keep a process alive', () => {
  const folder = path.join(import.meta.dirname, '../node-cli/src')
  const program = `
    import { hubClient, keepRegistered } from ${JSON.stringify(path.join(folder, 'serve/hub/index.ts'))}
    import { resolveProfile } from ${JSON.stringify(path.join(folder, '../../protocol/identity/index.ts'))}
    keepRegistered({
      client: hubClient(new URL('http://127.0.0.1:9')), profile: resolveProfile(), nodeId: '', signer: () => ({}),
      registration: {}, health: () => 'online', deviceProfile: null,
      beforeEach: async () => {}, afterEach: async () => {},
      changed: ({ state }) => console.log(state),
    })`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, 'away\n'])
})
