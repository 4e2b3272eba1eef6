import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { startNode } from '../testing/node/serving-node.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({}, { files: true })
})
afterAll(() => hub?.stop())

test('a node whose device is bound connects to the relay of a hub, and runs its benchmark', async () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  await nodectl(['keygen', '--data-dir', dataDir])
  const at = ['--data-dir', dataDir, '--hub-url', hub.origin]
  const wallet = privateKeyToAccount(generatePrivateKey())
  const { stdout: message } = await nodectl(['bind', ...at, '--owner', wallet.address])
  const signature = await wallet.signMessage({ message: message.replace(/\n$/, '') })
  expect((await nodectl(['bind', ...at, '--signature', signature])).code).toBe(0)

  const node = await startNode(dataDir, { flags: ['--hub-url', hub.origin, '--log-format', 'json'] })
  const device = async () => (await fetch(`${hub.origin}/v1/devices/${node.node_id}`)).json()
  await expect
    .poll(async () => (await node.call('/status')).json)
    .toMatchObject({
      relay: { connected: true, problem: null, session_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
      benchmark: { suite: 'bench-v1', differing: [] },
      active_leases: [],
    })
  await expect.poll(device).toMatchObject({ status: 'online', connected_since: expect.any(Number) })
  expect(await node.stop()).toBe(0)

  // The node sends its benchmark with the profile of its next heartbeat.
  await startNode(dataDir, { flags: ['--hub-url', hub.origin] })
  await expect.poll(device).toMatchObject({ benchmark: { suite: 'bench-v1', score: expect.any(Number) } })
})
