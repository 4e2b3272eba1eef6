import { randomBytes } from 'node:crypto'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { nodeSigner } from '../node-cli/src/node-signer.ts'
import { systemClock } from '../node-cli/src/serve/clock.ts'
import {
  describeDevice,
  type HubStanding,
  hubClient,
  keepRegistered,
  register,
  requestSigner,
} from '../node-cli/src/serve/hub/index.ts'
import { createTurns } from '../node-cli/src/serve/hub/testing/turns.ts'
import {
  createBindingRecord,
  deriveNodeId,
  type NodeRole,
  resolveProfile,
} from '../protocol/identity/index.ts'
import { evmAddress } from '../protocol/signatures/index.ts'
import { breakableBundle, restartHub } from '../testing/breakable-hub.ts'
import { queryThrough } from '../testing/driver.ts'
import { startGate } from '../testing/gate.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { signIn } from '../testing/session.ts'

const profile = resolveProfile()
const operatorKey = generatePrivateKey()

let hub: TestHub
/** Between nodes and the hub. */
let gate: Awaited<ReturnType<typeof startGate>>
const folder = temporaryFolder()
const operator = () => signIn(hub.urls[0]!, undefined, operatorKey)

beforeAll(async () => {
  const port = await pickPort()
  gate = await startGate(String(port))
  const settings = { OPERATOR_ADDRESSES: evmAddress(operatorKey), BASE_URL: gate.url }
  hub = await startTestHub(settings, { port, script: await breakableBundle() })
})
afterAll(async () => {
  await hub?.stop()
  await gate?.stop()
})

const forgetNodes = async () => {
  await restartHub(hub, {})
  await queryThrough(await hub.miniflare.unsafeGetDirectURL('driver'), 'DELETE FROM nodes', [])
}

interface Node {
  readonly seed: string
  readonly nodeId: string
  readonly publicKey: string
  readonly signer: ReturnType<typeof requestSigner>
}

function createNode(): Node {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const node = nodeSigner(seed)
  const nodeId = deriveNodeId(profile, node.publicKey)
  return { seed, nodeId, publicKey: node.publicKey, signer: requestSigner(profile, node, systemClock) }
}

const registrationOf = (role: NodeRole, url: string | null) => ({
  role,
  url,
  engine: 'native' as const,
  nodectlVersion: '1.0.0',
  capabilities: ['execute'],
})

/** Keeps a node registered; a pause between two calls lasts until the test ends it. */
function keep(node: Node, role: NodeRole = 'miner') {
  const changes: HubStanding[] = []
  const { wait, pause, next } = createTurns()
  const registration = keepRegistered({
    client: hubClient(new URL(gate.url)),
    profile,
    nodeId: node.nodeId,
    signer: node.signer,
    registration: registrationOf(role, role === 'miner' ? null : 'http://127.0.0.1:7070'),
    health: () => 'online',
    deviceProfile: role === 'miner' ? () => describeDevice(folder, 'native') : null,
    benchmarkRanAt: () => null,
    beforeEach: async () => {},
    afterEach: async () => {},
    changed: (standing) => changes.push(standing),
    random: () => 1,
    wait,
  })
  return {
    changes,
    standing: registration.standing,
    pause,
    /** Lets it call once. */
    call: next,
    stop: registration.stop,
  }
}

describe('a node that registers', () => {
  test('sends a heartbeat every 30 s, sends its profile once it is bound, and stops when told', async () => {
    const node = createNode()
    const kept = keep(node)
    expect(await kept.pause()).toBe(30)
    expect(kept.standing()).toEqual({
      state: 'registered',
      problem: null,
      heardAt: expect.any(Number),
      isBound: false,
    })
    await bind(node)
    for (let beats = 1; beats < 10; beats++) await kept.call()
    expect(kept.standing().isBound).toBe(false)
    await kept.call()
    expect(kept.standing().isBound).toBe(true)
    const device = await (await fetch(`${hub.origin}/v1/devices/${node.nodeId}`)).json()
    expect(device).toMatchObject({
      // It has no socket to the relay.
      status: 'offline',
      last_seen_at: expect.any(Number),
      engine: 'native',
      nodectl_version: '1.0.0',
      arch: process.arch,
    })
    await kept.stop()
    expect(kept.standing().state).toBe('stopped')
  })

  test('continues while the hub is away, retries with growing pauses, and reaches it when it is back', async () => {
    const kept = keep(createNode())
    await kept.pause()
    gate.close()
    expect([await kept.call(), await kept.call(), await kept.call(), await kept.call()]).toEqual([1, 2, 4, 8])
    expect(kept.standing()).toMatchObject({
      state: 'away',
      problem: expect.stringContaining('no hub answers on'),
    })
    // One line in the log, however long it lasts.
    expect(kept.changes.filter(({ state }) => state === 'away')).toHaveLength(1)
    gate.open()
    expect(await kept.call()).toBe(30)
    expect(kept.standing()).toMatchObject({ state: 'registered', problem: null })
    await kept.stop()
  })

  test('registers again with a hub that has forgotten it', async () => {
    const kept = keep(createNode())
    await kept.pause()
    await forgetNodes()
    expect(await kept.call()).toBe(1)
    expect(await kept.call()).toBe(30)
    expect(kept.standing().state).toBe('registered')
    await kept.stop()
  })

  test('waits for an operator if it is a validator, and stops calling the hub once it is revoked', async () => {
    const node = createNode()
    const kept = keep(node, 'validator')
    await kept.pause()
    expect(kept.standing()).toMatchObject({ state: 'pending', problem: null, isBound: null })
    await (await operator()).post(`/admin/v1/nodes/${node.nodeId}/approve`)
    await kept.call()
    expect(kept.standing().state).toBe('registered')
    await (await operator()).post(`/admin/v1/nodes/${node.nodeId}/revoke`)
    await kept.call()
    expect(kept.standing()).toMatchObject({
      state: 'refused',
      problem: 'an operator of the hub revoked this node',
    })
    await kept.stop()
  })

  test('that was revoked before is refused, and asks again about every five minutes', async () => {
    const node = createNode()
    await register(hubClient(new URL(gate.url)), node.signer, profile.network, registrationOf('miner', null))
    await (await operator()).post(`/admin/v1/nodes/${node.nodeId}/revoke`)
    const kept = keep(node)
    expect(await kept.pause()).toBeCloseTo(330)
    expect(kept.standing()).toMatchObject({
      state: 'refused',
      problem: expect.stringContaining('An operator revoked this node'),
    })
    await kept.stop()
  })
})

/** Binds a node to a wallet of its own. */
async function bind({ seed, publicKey }: Node): Promise<void> {
  const ownerKey = generatePrivateKey()
  const fields = {
    action: 'bind',
    owner: evmAddress(ownerKey),
    public_key: publicKey,
    issued_at: systemClock.now(),
    nonce: randomBytes(16).toString('hex'),
  } as const
  const record = createBindingRecord(profile, fields, { ownerKey, nodeKey: seed })
  const response = await fetch(`${hub.origin}/v1/devices/bind`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(record),
  })
  expect(response.status).toBe(200)
}
