import { writeFileSync } from 'node:fs'
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
import { attemptStart, leaderOfAttempt } from '../../protocol/earnings/index.ts'
import { makeSchedule, networkParamsOf, phaseHash } from '../../protocol/identity/index.ts'
import { type Network, readNetwork } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { followTask, type Round, readRound } from '../task/follow.ts'
import { finishTask } from './tasks.ts'

// A whole network of nine processes, in the time the machine has for it.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 })

const epochSecs = 3_600
const limitSecs = 120
const { beacon_offset_secs } = networkParamsOf(31_337)
/** The first epoch that has a set has begun before it, and time is moved there. */
const from = epochStart(epochAt(Math.floor(Date.now() / 1000) + beacon_offset_secs, epochSecs) + 3, epochSecs)
const before = { audit_bp: 0 }
const after = { audit_bp: 10_000, gas_per_unit: 7 }
const changes = [
  { from: from - 10 * 86_400, params: before },
  { from, params: after },
]
const [, early, late] = makeSchedule(networkParamsOf(31_337), changes)

describe.skipIf(!hasAnvil)('while tasks run,', () => {
  let temporary: TemporaryNetwork
  let network: Network
  let projectId: string
  let validators: LocalNode[]
  const folder = temporaryFolder()
  const changesFile = path.join(folder, 'changes.json')
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
        paramsChanges: changesFile,
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
    writeFileSync(changesFile, JSON.stringify(changes))
    const vars = { PARAMS_CHANGES: JSON.stringify(changes) }
    temporary = await startTemporaryNetwork(folder, {
      hub: { vars, files: false },
      chain: { pastSecs: 7_200, blockSecs: 2 },
    })
    network = await readNetwork(temporary.url)
    validators = await begin('validator', validatorDirs(path.join(folder, 'validators')))
    await beginLocalValidators(temporary.url, validators)
    const { url: hub, rpcUrl, contracts } = temporary
    const sample = await makeSample({ hub, rpcUrl, contracts, devicesFolder: path.join(folder, 'devices') })
    projectId = sample.projectId
    await begin('miner', sample.dataDirs)
    await passUntil(from - epochSecs + 60)
    await waitForSet(hub, projectId)
  })
  afterAll(async () => {
    await stopNodes(nodes)
    await temporary?.stop()
  })

  const read = (at?: number) =>
    network.client.call('GET /v1/network/params', at === undefined ? {} : { query: { at: String(at) } })
  const finish = async (input: string): Promise<Round> => {
    const { output, kind, round } = await finishTask(network.client, projectId, `"${input}"`)
    expect([output, kind === 'fallback']).toEqual([`"${input}"`, false])
    return round
  }
  const settled = (epoch: number) =>
    waitFor(
      `epoch ${epoch} to be settled`,
      () =>
        network.client.call('GET /v1/explorer/epochs/{project_id}/{epoch}', {
          path: { project_id: projectId, epoch },
        }),
      ({ status }) => status === 'settled' || status === 'released',
    )
  const expectNoBlame = async () => {
    expect((await network.client.call('GET /v1/explorer/slashes')).items).toEqual([])
    expect(lost).toEqual([])
  }
  /** A task whose members have voted before the change, and whose validators are a quorum again after it. */
  const finishAcross = async (): Promise<Round> => {
    const away = validators.slice(2)
    await stopNodes(away)
    await passUntil(from - 120)
    const given = await network.client.call('POST /v1/projects/{project_id}/tasks', {
      path: { project_id: projectId },
      body: { function: 'echo', input_b64: Buffer.from('"across"').toString('base64') },
    })
    const where = { path: { round_id: given.round_id! } }
    await waitFor(
      'all members to vote',
      () => network.client.find('GET /v1/explorer/rounds/{round_id}', where),
      (round) => (round?.votes ?? 0) > 0 && round?.votes === round?.committee_size,
    )
    await passUntil(from + 1)
    await Promise.all(away.map((node) => node.start()))
    const task = await followTask(network.client, given, limitSecs, () => {})
    expect(task.status).toBe('finalized')
    return (await readRound(network.client, task))!
  }
  const unitsOf = (rounds: readonly Round[], gasPerUnit: number) =>
    rounds.reduce(
      (sum, { finality, gas_used }) => sum + finality!.voters.length * Math.ceil(gas_used! / gasPerUnit),
      0,
    )

  test('parameters change: each round, set and payout has those of its epoch, and nobody is blamed', async () => {
    expect(await read()).toEqual({
      ...{ params: early!.params, params_hash: phaseHash(early!) },
      next: { from, params: late!.params, params_hash: phaseHash(late!) },
    })
    const first = [await finish('before'), await finishAcross()]
    expect(first[1]!.finalized_at).toBeGreaterThanOrEqual(from)
    await passUntil(from + 60)
    await waitForSet(temporary.url, projectId)
    const second = [await finish('after')]

    expect(first.map(({ epoch, audited }) => [epoch, audited])).toEqual([
      ...[from - 1, from - 1].map((time) => [epochAt(time, epochSecs), false]),
    ])
    expect(second.map(({ epoch, audited }) => [epoch, audited])).toEqual([[epochAt(from, epochSecs), true]])
    expect(await read()).toEqual({ params: late!.params, params_hash: phaseHash(late!), next: null })
    expect((await read(from - 1)).params_hash).toBe(phaseHash(early!))

    await passUntil(attemptStart(epochAt(from, epochSecs), epochSecs, 0, late!.params))
    const epochs = [
      { phase: early!, rounds: first },
      { phase: late!, rounds: second },
    ]
    for (const { phase, rounds } of epochs) {
      const where = { path: { project_id: projectId, epoch: rounds[0]!.epoch! } }
      const set = await network.client.call('GET /v1/committees/{project_id}/{epoch}', where)
      expect(set.snapshot.params_hash).toBe(phaseHash(phase))
      expect(set.attestations.length).toBeGreaterThanOrEqual(3)
      const paid = await settled(where.path.epoch)
      expect(paid.totals?.units).toBe(unitsOf(rounds, phase.params.gas_per_unit))
    }
    // With the first gas of a unit, the same run would be one unit.
    expect(second[0]!.gas_used).toBeGreaterThan(7)
    await expectNoBlame()
  })

  test('validators join and leave in the middle of an epoch: tasks stay final, nobody is slashed, and each epoch is paid', async () => {
    const operator = await signIn(network, privateKeys.operator)
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

    await waitForSet(temporary.url, projectId)
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
    // For a minute the others may take the fifth for one of their number: an attempt that it leads settles nothing.
    const keys = [...validators, fifth].map(({ publicKey }) => publicKey!)
    const attempt = leaderOfAttempt(keys, projectId, first + 2, 0) === fifth.publicKey ? 1 : 0
    await passUntil(attemptStart(first + 2, epochSecs, attempt, late!.params))
    for (const epoch of [first, first + 1, first + 2])
      expect((await settled(epoch)).totals?.units).toBeGreaterThan(0)
    await expectNoBlame()
  })
})
