/** `npm run demo -- --cluster`: from an empty network to a claimed reward, with real nodes, two of which break the rules. */
import { privateKeys } from '../../localnet/accounts.ts'
import type { Lifecycle } from '../../localnet/lifecycle.ts'
import { waitForSet } from '../../localnet/nodes/ready.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { attemptStart } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { type Network, readNetwork } from '../../sdk/network.ts'
import { signIn, type Wallet } from '../../sdk/sign-in.ts'
import { waitFor } from '../../sdk/wait.ts'
import { inTokens } from '../amounts.ts'
import { ensure } from '../demo/stage.ts'
import { print, printStep, utc } from '../print.ts'
import { waitForRecord } from '../printed-calls.ts'
import { type Cluster, type Devices, startCluster, startDevices } from './cluster.ts'
import { type FinishedTask, finishTask, type TaskKind } from './tasks.ts'

/** What the contracts add to the window, for disputes that were sent in time. */
const graceSecs = 15 * 60
/** Few enough for one machine: a member that does not accept within seconds has missed its lease. */
const tasksAtOnce = 4
/** One task in ten is audited: so many batches have none of them once in twenty thousand runs. */
const batchesMax = 24
const kinds: readonly TaskKind[] = ['clean', 'audited', 'contested']

/** Everything that the steps share. */
interface Scene {
  readonly cluster: Cluster
  readonly network: Network
  readonly devices: Devices
  readonly epochSecs: number
  readonly passUntil: (time: number) => Promise<void>
}

export async function showCluster(lifecycle: Lifecycle, scratch: string): Promise<void> {
  printStep('A chain, its contracts and a hub begin, and four validators, each a process of nodectl serve')
  const cluster = await startCluster(lifecycle, scratch)
  for (const { name, nodeId, url } of cluster.validators) print('·', `${name} ${nodeId} at ${url}`)

  printStep(
    'A project begins, and five devices stake on it: three are honest, one will lie, one will vote twice',
  )
  const devices = await startDevices(lifecycle, cluster)
  for (const { name, nodeId } of devices.honest) print('·', `${name} ${nodeId}`)
  print('✗', `lies        ${devices.liar}`)
  print('✗', `votes twice ${devices.doubleVoter}`)
  const network = await readNetwork(cluster.network.url)
  const { epoch_secs } = await unwrap(
    network.client.GET('/v1/projects/{project_id}/economics', {
      params: { path: { project_id: devices.projectId } },
    }),
  )
  const passUntil = async (time: number) => {
    const from = await network.now()
    if (time > from) await cluster.network.passTime(time - from)
    print('»', `network time ${utc(from)} → ${utc(await network.now())}`)
  }
  const scene: Scene = { cluster, network, devices, epochSecs: epoch_secs, passUntil }

  await showFallback(scene)
  const epoch = await beginEpoch(scene)
  await showTasks(scene)
  const windowsEnd = await showEvidence(scene)
  await showRewards(scene, epoch)
  await showSlashes(scene, windowsEnd)
  console.log('\nDone. Every vote above was signed by a process of its own.')
}

async function showFallback({ network, devices, cluster }: Scene): Promise<void> {
  printStep('A task, before any stake counts: there is no committee, and the validators run it themselves')
  await waitForSet(cluster.network.url, devices.projectId)
  const task = await finishTask(network.client, devices.projectId, '"the first task"')
  ensure(task.kind === 'fallback' && task.output === '"the first task"', 'the validators decide the task')
  printTask(task)
}

async function beginEpoch({ network, devices, cluster, epochSecs, passUntil }: Scene): Promise<number> {
  // Who is bonded before the beacon of an epoch is in its set.
  const epoch = epochAt((await network.now()) + defaultNetworkParams.beacon_offset_secs, epochSecs) + 1
  printStep(`Epoch ${epoch} begins, with the five devices in its set, which the validators attest`)
  await passUntil(epochStart(epoch, epochSecs))
  await waitForSet(cluster.network.url, devices.projectId)
  const params = { path: { project_id: devices.projectId, epoch } }
  const { snapshot, set_hash, attestations } = await unwrap(
    network.client.GET('/v1/committees/{project_id}/{epoch}', { params }),
  )
  ensure(snapshot.entries.length === 5, 'the five devices are in the set')
  print('=', `${attestations.length} validators attested ${set_hash}`)
  return epoch
}

async function showTasks({ network, devices }: Scene): Promise<void> {
  printStep('Tasks, four at once, each for a committee of three: clean ones, audited ones, contested ones')
  const done: FinishedTask[] = []
  const missing = () => kinds.filter((kind) => !done.some((task) => task.kind === kind))
  for (let batch = 0; batch < batchesMax && missing().length > 0; batch += 1) {
    const inputs = Array.from(
      { length: tasksAtOnce },
      (_, index) => `{"task":${batch * tasksAtOnce + index}}`,
    )
    const tasks = await Promise.all(
      inputs.map(async (input) => {
        const task = await finishTask(network.client, devices.projectId, input)
        ensure(task.output === input, 'the result of a task is true, whoever was in its committee')
        return task
      }),
    )
    for (const task of tasks) printTask(task)
    done.push(...tasks)
  }
  ensure(missing().length === 0, 'there are tasks of every kind')
  const seconds = done.map((task) => task.seconds).sort((a, b) => a - b)
  print('=', `${done.length} tasks final; median ${seconds[seconds.length >> 1]?.toFixed(1)} s`)
}

const printTask = ({ kind, round, seconds }: FinishedTask): void => {
  const { agreeing = 0, committee_size = 0, receipt_hash = '' } = round
  const votes = kind === 'fallback' ? 'no committee' : `${agreeing} of ${committee_size} agree`
  print('·', `${kind.padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${votes}  ${receipt_hash}`)
}

/** @returns When the windows in which the owner could dispute have ended. */
async function showEvidence({ network, devices }: Scene): Promise<number> {
  printStep('The validators prove what the two did, and the hub proposes to slash them')
  const wanted = [
    ['invalid_result', devices.liar],
    ['equivocation', devices.doubleVoter],
  ] as const
  const query = { project_id: devices.projectId, limit: 200 }
  const items = await waitFor(
    'both to be proposed for a slash',
    async () => (await unwrap(network.client.GET('/v1/explorer/slashes', { params: { query } }))).items,
    (slashes) =>
      wanted.every(([kind, nodeId]) =>
        slashes.some((one) => one.kind === kind && one.node_id === nodeId && one.executable_at !== null),
      ),
    undefined,
    (slashes) => slashes.map(({ kind, node_id, status }) => `${node_id} ${kind} ${status}`).join(', '),
  )
  for (const { kind, node_id, bp, amount } of items)
    print('·', `${kind.padEnd(14)} ${node_id}: ${bp / 100} % of its collateral, ${inTokens(network, amount)}`)
  const accused = items.filter(({ kind }) => kind !== 'missed_sla').map(({ node_id }) => node_id)
  const isHonest = (nodeId: string) => devices.honest.some((node) => node.nodeId === nodeId)
  ensure(!accused.some(isHonest), 'no honest device is accused of a wrong vote')
  return Math.max(...items.map(({ executable_at }) => executable_at ?? 0))
}

async function showRewards(scene: Scene, epoch: number): Promise<void> {
  const { network, devices, epochSecs, passUntil } = scene
  const { client } = network
  printStep(`Epoch ${epoch} ends: the validators compute what it pays, attest that, and the hub posts it`)
  await passUntil(attemptStart(epoch, epochSecs, 0, defaultNetworkParams))
  const params = { path: { project_id: devices.projectId, epoch } }
  const read = () => client.GET('/v1/explorer/epochs/{project_id}/{epoch}', { params })
  const { settlement, totals, receipt } = await waitForRecord(
    'the epoch to be settled',
    read,
    ({ status }) => status === 'settled',
  )
  ensure(settlement?.claimable_at !== undefined && totals !== undefined, 'the epoch pays')
  print(
    '=',
    `${totals.units} units pay ${inTokens(network, totals.gross)}; ${receipt?.attestations.length} attestations`,
  )

  printStep(
    'The challenge period passes, and the owner of the devices claims: the hub pays for the transaction',
  )
  await passUntil(settlement.claimable_at)
  await waitForRecord('the epoch to be released', read, ({ status }) => status === 'released')
  const miner = await signIn(network, privateKeys.miner)
  const before = await readBalance(miner)
  await unwrap(miner.client.POST('/v1/me/withdrawals/claims', { body: {} }))
  const { items } = await waitFor(
    'the claim to be mined',
    () => unwrap(miner.client.GET('/v1/me/withdrawals')),
    ({ items }) => items.some(({ kind, status }) => kind === 'claim' && status === 'completed'),
  )
  const claimed = items.find(({ kind }) => kind === 'claim')?.amount ?? '0'
  const after = await readBalance(miner)
  ensure(after - before === BigInt(claimed) && claimed === totals.miner, 'the wallet has what the epoch pays')
  print('=', `${inTokens(network, before)} + ${inTokens(network, claimed)} = ${inTokens(network, after)}`)
}

async function readBalance({ client }: Wallet): Promise<bigint> {
  const { hub_balance } = await unwrap(client.GET('/v1/me/collateral'))
  return BigInt(hub_balance ?? 0)
}

async function showSlashes({ network, devices, passUntil }: Scene, windowsEnd: number): Promise<void> {
  printStep('Nobody disputed: the windows have passed, and the hub executes the slashes')
  await passUntil(windowsEnd + graceSecs + 1)
  const query = { project_id: devices.projectId, status: 'executed', limit: 200 } as const
  const executed = await waitFor(
    'the slashes to be executed',
    async () => (await unwrap(network.client.GET('/v1/explorer/slashes', { params: { query } }))).items,
    (items) =>
      [devices.liar, devices.doubleVoter].every((nodeId) => items.some(({ node_id }) => node_id === nodeId)),
  )
  for (const { kind, node_id, taken } of executed)
    print('=', `${kind.padEnd(14)} ${node_id}: ${inTokens(network, taken ?? '0')} taken`)
}
