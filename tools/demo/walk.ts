import type { Lifecycle } from '../../localnet/lifecycle.ts'
import type { GivenProfile } from '../../protocol/identity/index.ts'
import { readEconomics, readNetwork } from '../../scripts/hub/network.ts'
import { print, printStep } from '../print.ts'
import { startCluster, startDevices } from './cluster.ts'
import { makeDevices, type PlacedDevice } from './devices.ts'
import { showEarnings } from './earnings.ts'
import { makeProject, makeWallet } from './project.ts'
import { beginEpoch, showFallback, showTasks } from './rounds.ts'
import { showEvidence, showSlashes } from './slashes.ts'
import type { Stage } from './stage.ts'
import type { FinishedTask } from './tasks.ts'

/** The object that `--json` prints. Amounts are in base units. */
export type DemoResult = Awaited<ReturnType<typeof walk>>

/** Goes all the way, from an empty network to a claimed reward and two slashes. */
export async function walk(lifecycle: Lifecycle, scratch: string, profile: GivenProfile) {
  printStep('Start a chain, its contracts, a hub and four validators, each a process of nodectl serve')
  const cluster = await startCluster(lifecycle, scratch, profile)
  const network = await readNetwork(cluster.network.url)
  print('·', `the hub is ${network.hub}`)
  for (const { name, nodeId, url } of cluster.validators) print('·', `${name} ${nodeId} at ${url}`)

  const projectId = await makeProject(network)
  const miner = await makeWallet(network, 'A miner')
  const names = ['1', '2', '3', 'liar', 'double-voter']
  const devices = await makeDevices(network, cluster, miner, projectId, names)
  const [liar, doubleVoter] = devices.slice(3) as [PlacedDevice, PlacedDevice]

  printStep('Start the devices: three keep the rules, one lies, one votes twice')
  const dishonest = { lies: liar.dataDir, 'votes-twice': doubleVoter.dataDir }
  const honestDirs = devices.slice(0, 3).map(({ dataDir }) => dataDir)
  const honest = await startDevices(lifecycle, cluster, honestDirs, dishonest)
  for (const { name, nodeId, url } of honest) print('·', `${name}     ${nodeId} at ${url}`)
  print('✗', `lies        ${liar.nodeId}`)
  print('✗', `votes twice ${doubleVoter.nodeId}`)

  const { epoch_secs } = await readEconomics(network.client, projectId)
  const stage: Stage = {
    cluster,
    network,
    projectId,
    epochSecs: epoch_secs,
    honest: honest.flatMap(({ nodeId }) => nodeId ?? []),
    liar: liar.nodeId,
    doubleVoter: doubleVoter.nodeId,
  }
  const first = await showFallback(stage)
  const epoch = await beginEpoch(stage)
  const tasks = await showTasks(stage)
  const windowsEnd = await showEvidence(stage)
  const claimed = await showEarnings(stage, miner, epoch)
  const slashes = await showSlashes(stage, windowsEnd)
  return {
    project_id: projectId,
    epoch,
    devices: { honest: stage.honest, liar: stage.liar, double_voter: stage.doubleVoter },
    tasks: [first, ...tasks].map(describeTask),
    claimed,
    slashes: slashes.map(({ kind, node_id, bp, taken }) => ({ kind, node_id, bp, taken })),
  }
}

const describeTask = ({ kind, round, output, seconds }: FinishedTask) => ({
  kind,
  round_id: round.round_id,
  receipt_hash: round.receipt_hash ?? null,
  output,
  seconds,
})
