import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readNetwork } from '../../scripts/hub/network.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { hubWithNodeKey } from '../../sdk/node.ts'
import { hasAnvil } from '../../testing/anvil.ts'
import { pageBlocks } from '../../testing/page-samples.ts'
import { openTerminal, statusAt } from '../../testing/terminal.ts'
import { pickPort } from '../port.ts'
import { privateKeys } from '../private-keys.ts'
import { listChildren } from '../processes.ts'
import { makeDevice } from '../sample/devices.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../temporary-network.ts'
import { beginLocalValidators } from './begin-validators.ts'
import { builtNodectl } from './build.ts'
import type { LocalNode, NodeSurroundings } from './local-node.ts'
import { type NodePlace, placesOf, startNodes, stopNodes, validatorDirs } from './local-nodes.ts'

// A whole network begins and ends here, in the time the machine has for it.
describe.skipIf(!hasAnvil)('nodes of a local network', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'local-nodes-'))
  let network: TemporaryNetwork
  let surroundings: NodeSurroundings
  const lost: string[] = []
  let nodes: LocalNode[] = []
  beforeAll(async () => {
    network = await startTemporaryNetwork(folder, { hub: { files: false } })
    surroundings = {
      dist: await builtNodectl(),
      hub: network.url,
      rpcUrl: network.rpcUrl,
      profile: network.profile,
      apiToken: 'a-token-that-only-tests-know',
      onLoss: ({ name }) => lost.push(name),
    }
  })
  afterAll(async () => {
    await stopNodes(nodes)
    await network?.stop()
    rmSync(folder, { recursive: true })
  })
  const places = (): NodePlace[] => [
    ...placesOf('validator', validatorDirs(path.join(folder, 'validators'), 2), path.join(folder, 'logs')),
    ...placesOf('miner', [path.join(folder, 'devices/1')], path.join(folder, 'logs')),
  ]
  /** Two validators and a miner that run, over the same data in each test; a test may end some of them. */
  const runningNodes = async () => {
    if (nodes.length === 0) nodes = await startNodes(places(), surroundings)
    else await Promise.all(nodes.filter(({ pid }) => pid === null).map((node) => node.start()))
    await Promise.all(nodes.map((node) => node.waitUntilKnown()))
    return nodes as [LocalNode, LocalNode, LocalNode]
  }
  const readValidators = async () =>
    (await (await readNetwork(network.url)).client.call('GET /v1/validators')).validators
  const isRunning = (pid: number | null) => pid !== null && existsSync(`/proc/${pid}`)

  test('each runs as a process with its own key, port and log, and the hub knows it', async () => {
    await runningNodes()
    await beginLocalValidators(network.url, nodes.slice(0, 2))
    expect(nodes.map(({ name }) => name)).toEqual(['validator-1', 'validator-2', 'miner-1'])
    expect(new Set(nodes.map(({ nodeId }) => nodeId)).size).toBe(3)
    expect((await readValidators()).map(({ url }) => url).sort()).toEqual(
      nodes
        .slice(0, 2)
        .map(({ url }) => url)
        .sort(),
    )
    for (const node of nodes) {
      expect(await node.status()).toMatchObject({ node_id: node.nodeId, role: node.plan.role })
      expect(node.log()).toContainEqual(expect.objectContaining({ message: 'serving', url: node.url }))
      expect(existsSync(path.join(node.plan.dataDir, 'node.key'))).toBe(true)
    }
  })

  test('another validator is admitted with the commands of docs/become-a-validator.md', async () => {
    await runningNodes()
    const port = await pickPort()
    const replaced: readonly (readonly [string, string])[] = [
      ['http://127.0.0.1:8545', network.rpcUrl],
      ['127.0.0.1:7090', `127.0.0.1:${port}`],
      ['./validator', path.join(folder, 'another')],
    ]
    const [serving, operating, counting] = pageBlocks('docs/become-a-validator.md', 'sh', network.url).map(
      (block) => replaced.reduce((text, [from, to]) => text.replaceAll(from, to), block),
    )
    const open = (commands: string) => openTerminal(commands, { HUB_URL: network.url })
    const node = open(serving!)
    onTestFinished(node.close)
    const statusOf = () => statusAt(port)
    await expect
      .poll(statusOf)
      .toMatchObject({ hub: { state: 'registered' }, consensus: { is_validator: false } })
    const { node_id } = await statusOf()
    expect(node.said.all).toContain(`"node_id": "${node_id}"`)

    const operator = open(operating!.replace('node-…', node_id))
    expect(await operator.ended, operator.said.all).toBe(0)
    const newest = async () =>
      (await (await readNetwork(network.url)).client.call('GET /v1/validators/generations')).items[0]
    await expect.poll(newest).toMatchObject({ generation: 1 })
    const later = open(counting!)
    expect(await later.ended, later.said.all).toBe(0)
    expect(later.said.all).toContain(`http://127.0.0.1:${port}`)
    await expect.poll(statusOf).toMatchObject({ consensus: { reachable: true } })
  })

  test('they follow the time of the network soon after it was moved', async () => {
    const [first] = await runningNodes()
    await network.passTime(7_200)
    const seed = `0x${readFileSync(path.join(first.plan.dataDir, 'node.key'), 'utf8').trim()}`
    const { call } = hubWithNodeKey({ url: network.url, key: seed })
    const beat = call('POST /v1/nodes/heartbeat', { body: { status: 'online' } })
    expect(await beat).toMatchObject({ next_in_secs: 5 })
    const offset = async () => (await first.status()).hub.clock_offset_secs
    await expect.poll(offset).toBeGreaterThanOrEqual(7_190)
  })

  test('a killed node is reported, the others continue, and it comes back with the same identity', async () => {
    const [first, second] = await runningNodes()
    const [{ nodeId, url }, pid] = [first, first.pid]
    process.kill(pid!, 'SIGKILL')
    await expect.poll(() => lost).toEqual(['validator-1'])
    expect([first.pid, isRunning(pid), isRunning(second.pid)]).toEqual([null, false, true])

    await first.start()
    await first.waitUntilKnown()
    expect([first.nodeId, first.url]).toEqual([nodeId, url])
    await first.restart()
    expect(first.nodeId).toBe(nodeId)
    // A requested kill is not reported as a loss.
    await second.kill()
    expect([second.pid, lost]).toEqual([null, ['validator-1']])
  })

  test('a device that is banned holds up no start, and the reason is told', async () => {
    const [, , miner] = await runningNodes()
    const settings = await readNetwork(network.url)
    const owner = await signIn(settings, privateKeys.miner)
    const { nodeId } = await makeDevice(settings, owner, miner.plan.dataDir)
    const operator = await signIn(settings, privateKeys.operator)
    const params = { path: { node_id: nodeId }, body: { banned: true, reason: 'A test.' } }
    await operator.client.call('POST /admin/v1/devices/{node_id}/ban', params)
    await expect.poll(() => miner.waitUntilKnown()).toContain(`${nodeId} is banned`)
    await miner.restart()
    expect(await miner.waitUntilKnown()).toContain(`${nodeId} is banned`)
  })

  test('they stop when they are told to', async () => {
    await runningNodes()
    const pids = nodes.map(({ pid }) => pid)
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0])
    expect(pids.filter(isRunning)).toEqual([])
    expect(nodes[0]?.log().at(-1)).toMatchObject({ message: 'stopped' })
  })

  test('if one node cannot start, no node is left, and the error says why', async () => {
    await stopNodes(nodes)
    const [first, second] = places() as [NodePlace, NodePlace]
    const before = new Set(listChildren().map(({ pid }) => pid))
    const spawned: number[] = []
    const failing = startNodes([first, { ...second, dataDir: first.dataDir }], surroundings, null, () =>
      spawned.push(listChildren().filter(({ pid }) => !before.has(pid)).length),
    )
    await expect(failing).rejects.toThrow(/^validator-\d did not start: Error: .*/)
    expect(spawned).toEqual([2])
    // The lock of the data directory is free again.
    await stopNodes(await startNodes([first], surroundings))
    expect(readFileSync(path.join(first.dataDir, 'node.key'), 'utf8')).not.toBe('')
  })
})
