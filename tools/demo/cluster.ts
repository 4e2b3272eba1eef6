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
import { startTemporaryNetwork } from '../../localnet/temporary-network.ts'
import type { GivenProfile } from '../../protocol/identity/index.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import type { Mode } from './dishonest-node.ts'

/** A network of its own, with validators that are real nodes. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** The chain begins in the past, so that the running epoch has a beacon, and a set in which nobody is yet. */
const pastSecs = 2 * 3_600
/** A result is final after the first block that follows it. */
const blockSecs = 2

export async function startCluster(lifecycle: Lifecycle, folder: string, profile: GivenProfile) {
  const network = await lifecycle.run(
    () =>
      startTemporaryNetwork(folder, {
        chain: { pastSecs, blockSecs },
        profile,
        requireWanted: () => {
          if (lifecycle.stopping) throw new CommandError('The demo stops before its network runs.')
        },
      }),
    ({ stop }) => stop(),
  )
  const surroundings: NodeSurroundings = {
    dist: await lifecycle.run(() => builtNodectl()),
    hub: network.url,
    rpcUrl: network.rpcUrl,
    profile: network.profile,
    apiToken: 'the-operator-of-the-demo',
    detached: true,
  }
  const places = placesOf('validator', validatorDirs(path.join(folder, 'validators')), logsOf(folder))
  const validators = await lifecycle.run(() => startNodes(places, surroundings), stopNodes)
  await beginLocalValidators(network.url, validators)
  return { network, validators, surroundings, folder }
}

const logsOf = (folder: string): string => path.join(folder, 'logs')

/**
 * Starts a node for each device.
 *
 * @param dishonestDirs data directories of the device that lies, and of the one that votes twice.
 * @returns The nodes that keep the rules.
 */
export async function startDevices(
  lifecycle: Lifecycle,
  { surroundings, folder }: Cluster,
  honestDirs: readonly string[],
  dishonestDirs: Readonly<Record<Mode, string>>,
): Promise<LocalNode[]> {
  const places = placesOf('miner', honestDirs, logsOf(folder))
  const honest = await lifecycle.run(() => startNodes(places, surroundings), stopNodes)
  await Promise.all(honest.map((node) => node.waitUntilKnown()))
  for (const mode of ['lies', 'votes-twice'] as const)
    await lifecycle.run(
      () => startDishonest(mode, dishonestDirs[mode], surroundings, logsOf(folder)),
      endChild,
    )
  return honest
}

/** @returns Once it is connected to the relay. */
export async function startDishonest(
  mode: Mode,
  dataDir: string,
  { hub, dist }: Pick<NodeSurroundings, 'hub' | 'dist'>,
  logs: string,
): Promise<ChildProcess> {
  mkdirSync(logs, { recursive: true })
  const log = openSync(path.join(logs, `${mode}.log`), 'a')
  const child = spawn(process.execPath, ['tools/demo/dishonest-node.ts', mode, dataDir, hub, dist], {
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

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
