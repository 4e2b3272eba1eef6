import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Lifecycle } from '../../localnet/lifecycle.ts'
import { beginLocalValidators } from '../../localnet/nodes/begin-validators.ts'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import type { LocalNode, NodeSurroundings } from '../../localnet/nodes/local-node.ts'
import { placesOf, startNodes, stopNodes, validatorDirs } from '../../localnet/nodes/local-nodes.ts'
import { makeSample, type Sample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../../localnet/temporary-network.ts'
import { CommandError } from '../../scripts/command/errors.ts'

/** A network of its own, with validators that are real nodes. */
export interface Cluster {
  readonly network: TemporaryNetwork
  readonly validators: readonly LocalNode[]
  readonly surroundings: NodeSurroundings
  readonly folder: string
}

/** The devices that work for the project. */
export interface Devices extends Sample {
  readonly honest: readonly LocalNode[]
  /** Node ids of those that break a rule. */
  readonly liar: string
  readonly doubleVoter: string
}

/** The chain begins in the past, so that the running epoch has a beacon, and a set in which nobody is yet. */
const pastSecs = 2 * 3_600
/** A result is final after the first block that follows it. */
const blockSecs = 2

export async function startCluster(lifecycle: Lifecycle, folder: string): Promise<Cluster> {
  const network = await lifecycle.run(
    () => startTemporaryNetwork(folder, {}, { pastSecs, blockSecs }),
    ({ stop }) => stop(),
  )
  const surroundings: NodeSurroundings = {
    dist: await lifecycle.run(() => builtNodectl()),
    hub: network.url,
    rpcUrl: network.rpcUrl,
    chainId: 31337,
    apiToken: 'the-operator-of-the-demo',
    detached: true,
  }
  const places = placesOf('validator', validatorDirs(path.join(folder, 'validators')), logsOf(folder))
  const validators = await lifecycle.run(() => startNodes(places, surroundings), stopNodes)
  await beginLocalValidators(network.url, validators)
  return { network, validators, surroundings, folder }
}

const logsOf = (folder: string): string => path.join(folder, 'logs')

/** Makes a project and five devices with collateral in it, and starts them: three keep the rules, two do not. */
export async function startDevices(
  lifecycle: Lifecycle,
  { network, surroundings, folder }: Cluster,
): Promise<Devices> {
  const { url: hub, rpcUrl, contracts } = network
  const devices = ['1', '2', '3', 'liar', 'double-voter']
  const devicesFolder = path.join(folder, 'devices')
  const sample = await makeSample({ hub, rpcUrl, contracts, devicesFolder, devices })
  const [liarDir, doubleDir] = sample.dataDirs.slice(3) as [string, string]
  const places = placesOf('miner', sample.dataDirs.slice(0, 3), logsOf(folder))
  const honest = await lifecycle.run(() => startNodes(places, surroundings), stopNodes)
  await Promise.all(honest.map((node) => node.waitUntilKnown()))
  for (const [mode, dataDir] of [
    ['lies', liarDir],
    ['votes-twice', doubleDir],
  ] as const)
    await lifecycle.run(() => startDishonest(mode, dataDir, surroundings, logsOf(folder)), endChild)
  const [liar, doubleVoter] = sample.nodeIds.slice(3) as [string, string]
  return { ...sample, honest, liar, doubleVoter }
}

/** @returns Once it is connected to the relay. */
async function startDishonest(
  mode: string,
  dataDir: string,
  { hub, dist }: NodeSurroundings,
  logs: string,
): Promise<ChildProcess> {
  mkdirSync(logs, { recursive: true })
  const log = openSync(path.join(logs, `${mode}.log`), 'a')
  const child = spawn(process.execPath, ['tools/cluster/dishonest-node.ts', mode, dataDir, hub, dist], {
    stdio: ['ignore', 'pipe', log],
    detached: true,
  })
  const connected = once(createInterface({ input: child.stdout! }), 'line')
  const ended = once(child, 'close').then(([code]) => {
    throw new CommandError(`The node that ${mode} ended with ${code} before it was connected.`)
  })
  await Promise.race([connected, ended])
  ended.catch(() => {})
  child.stdout?.resume()
  return child
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
