import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Hub, HubOptions } from '../../localnet/hub.ts'
import { beginLocalValidators } from '../../localnet/nodes/begin-validators.ts'
import type { LocalNode, NodeRole, NodeSurroundings } from '../../localnet/nodes/local-node.ts'
import { placesOf, startNodes, stopNodes, validatorDirs } from '../../localnet/nodes/local-nodes.ts'
import { waitForSet } from '../../localnet/nodes/ready.ts'
import { makeSample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork } from '../../localnet/temporary-network.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { type Network, readNetwork } from '../../sdk/network.ts'
import { patientFetch } from './ask-again.ts'

/** A hub, a chain, validators, and miners with collateral in one project. */
export interface NodeNetwork {
  readonly network: Network
  readonly projectId: string
  readonly validators: readonly LocalNode[]
  readonly miners: readonly LocalNode[]
  readonly hub: Hub
  readonly stop: () => Promise<void>
}

export interface NodeNetworkOptions {
  readonly folder: string
  readonly miners: number
  /** Options of the hub. */
  readonly hub?: Pick<HubOptions, 'inspectorPort'>
  /** Seconds from when committees are drawn to the next epoch; left out, the whole epoch. */
  readonly untilEpochEnd?: number
  /** The programs that run the nodes of a role, in turn. */
  readonly programs: readonly Pick<NodeSurroundings, 'dist' | 'node'>[]
  /** Told of a node that ends by itself. */
  readonly onLoss: (node: LocalNode) => void
}

/** The chain begins in the past, so that the running epoch has a beacon. */
const pastSecs = 2 * 3_600
/** A result is final after the first block that follows it. */
const blockSecs = 2

/** Starts a network of real nodes, and moves its time to where committees are drawn from its miners. */
export async function startNodeNetwork(options: NodeNetworkOptions): Promise<NodeNetwork> {
  const { folder, programs, onLoss } = options
  mkdirSync(folder, { recursive: true })
  const {
    url: hub,
    hub: runningHub,
    rpcUrl,
    contracts,
    passTime,
    stop,
  } = await startTemporaryNetwork(folder, options.hub, { pastSecs, blockSecs })
  const nodes: LocalNode[] = []
  const stopAll = async () => {
    await stopNodes(nodes)
    await stop()
  }
  const begin = async (role: NodeRole, dataDirs: readonly string[]) => {
    const places = placesOf(role, dataDirs, path.join(folder, 'logs'))
    const started = await Promise.all(
      programs.map((program, turn) =>
        startNodes(
          places.filter((_, index) => index % programs.length === turn),
          { ...program, hub, rpcUrl, chainId: 31337, apiToken: 'of-the-measurement', onLoss },
        ),
      ),
    )
    nodes.push(...started.flat())
    await Promise.all(started.flat().map((node) => node.waitUntilKnown()))
    return started.flat()
  }
  try {
    const validators = await begin('validator', validatorDirs(path.join(folder, 'validators')))
    await beginLocalValidators(hub, validators)
    const devicesFolder = path.join(folder, 'devices')
    const devices = Array.from({ length: options.miners }, (_, index) => String(index + 1))
    const { projectId, dataDirs } = await makeSample({ hub, rpcUrl, contracts, devicesFolder, devices })
    const miners = await begin('miner', dataDirs)
    const network = await readNetwork(hub, patientFetch)
    const params = { path: { project_id: projectId } }
    const { epoch_secs } = await unwrap(network.client.GET('/v1/projects/{project_id}/economics', { params }))
    // Members that are bonded before the beacon of an epoch are in its set.
    const now = await network.now()
    const epoch = epochAt(now + defaultNetworkParams.beacon_offset_secs, epoch_secs) + 1
    await passTime(epochStart(epoch, epoch_secs) - now)
    await waitForSet(hub, projectId)
    const { untilEpochEnd = epoch_secs } = options
    const more = epochStart(epoch + 1, epoch_secs) - untilEpochEnd - (await network.now())
    if (more > 0) await passTime(more)
    return { network, projectId, validators, miners, hub: runningHub, stop: stopAll }
  } catch (error) {
    await stopAll()
    throw error
  }
}
