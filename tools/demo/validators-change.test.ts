import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { beginLocalValidators } from '../../localnet/nodes/begin-validators.ts'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import type { LocalNode, NodeRole } from '../../localnet/nodes/local-node.ts'
import { placesOf, startNodes, stopNodes, validatorDirs } from '../../localnet/nodes/local-nodes.ts'
import { waitForSet } from '../../localnet/nodes/ready.ts'
import { privateKeys } from '../../localnet/private-keys.ts'
import { makeSample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../../localnet/temporary-network.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { attemptStart } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { type Network, readNetwork } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { signIn, type Wallet } from '../../scripts/hub/wallet.ts'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { finishTask } from './tasks.ts'

// A whole network of nine processes, in the time the machine has for it.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 })

const epochSecs = 3_600

describe.skipIf(!hasAnvil)('validators that join and leave in the middle of an epoch', () => {
  let temporary: TemporaryNetwork
  let network: Network
  let operator: Wallet
  let projectId: string
  const folder = temporaryFolder()
  const nodes: LocalNode[] = []
  const lost: string[] = []

  const begin = async (role: NodeRole, dataDirs: readonly string[]): Promise<LocalNode[]> => {
    const started = await startNodes(
      placesOf(role, dataDirs, path.join(folder, role, dataDirs[0]!.slice(-1))),
      {
        dist: await builtNodectl(),
        hub: temporary.url,
        rpcUrl: temporary.rpcUrl,
        profile: temporary.profile,
        apiToken: 'a-token-that-only-tests-know',
        onLoss: ({ name }) => lost.push(name),
      },
    )
    nodes.push(...started)
    await Promise.all(started.map((node) => node.waitUntilKnown()))
    return started
  }
  const passUntil = async (time: number) => {
    const now = await network.now()
    if (time > now) await temporary.passTime(time - now)
  }

  beforeAll(async () => {
    temporary = await startTemporaryNetwork(folder, {}, { pastSecs: 7_200, blockSecs: 2 })
    network = await readNetwork(temporary.url)
    operator = await signIn(network, privateKeys.operator)
    await beginLocalValidators(
      temporary.url,
      await begin('validator', validatorDirs(path.join(folder, 'validators'))),
    )
    const { url: hub, rpcUrl, contracts } = temporary
    const sample = await makeSample({ hub, rpcUrl, contracts, devicesFolder: path.join(folder, 'devices') })
    projectId = sample.projectId
    await begin('miner', sample.dataDirs)
    const epoch = epochAt((await network.now()) + defaultNetworkParams.beacon_offset_secs, epochSecs) + 1
    await passUntil(epochStart(epoch, epochSecs) + 60)
    await waitForSet(hub, projectId)
  })
  afterAll(async () => {
    await stopNodes(nodes)
    await temporary?.stop()
  })

  const finish = async (input: string) => {
    const { output, kind } = await finishTask(network.client, projectId, `"${input}"`)
    expect(output).toBe(`"${input}"`)
    expect(kind).not.toBe('fallback')
  }
  const decide = (node: LocalNode, decision: 'approve' | 'revoke') =>
    operator.client.call(`POST /admin/v1/nodes/{node_id}/${decision}`, { path: { node_id: node.nodeId! } })
  /** Waits until a generation is signed, and lets it take effect. */
  const takeEffect = async (generation: number, count: number) => {
    const params = { query: { generation: String(generation) as never } }
    const made = await waitFor(
      `generation ${generation} to be signed`,
      () => network.client.find('GET /v1/validators', params),
      (found) => found !== null,
    )
    expect(made).toMatchObject({ generation, count })
    await passUntil((made?.effective_at ?? 0) + 1)
  }
  const runningEpoch = async () => epochAt(await network.now(), epochSecs)

  test('tasks stay final, nobody is slashed, and each epoch is paid', async () => {
    const first = await runningEpoch()
    await finish('four of four')
    const [fifth] = (await begin('validator', [path.join(folder, 'validators', '5')])) as [LocalNode]
    await decide(fifth, 'approve')
    await takeEffect(1, 5)
    expect(await runningEpoch()).toBe(first)
    await finish('four, beside a fifth')

    await passUntil(epochStart(first + 1, epochSecs) + 60)
    await waitForSet(temporary.url, projectId)
    await finish('four of five')
    await decide(fifth, 'revoke')
    await takeEffect(2, 4)
    expect(await runningEpoch()).toBe(first + 1)
    await finish('five, of whom one leaves')

    await passUntil(epochStart(first + 2, epochSecs) + 60)
    await waitForSet(temporary.url, projectId)
    await finish('four again')
    await passUntil(attemptStart(first + 2, epochSecs, 0, defaultNetworkParams))
    for (const epoch of [first, first + 1, first + 2]) {
      const params = { path: { project_id: projectId, epoch } }
      const paid = await waitFor(
        `epoch ${epoch} to be settled`,
        () => network.client.call('GET /v1/explorer/epochs/{project_id}/{epoch}', params),
        ({ status }) => status === 'settled' || status === 'released',
      )
      expect(paid.totals?.units).toBeGreaterThan(0)
    }
    const slashes = await network.client.call('GET /v1/explorer/slashes')
    expect(slashes.items).toEqual([])
    expect(lost).toEqual([])
  })
})
