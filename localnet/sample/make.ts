import path from 'node:path'
import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import { type Network, readNetwork } from '../../scripts/hub/network.ts'
import { signIn, type Wallet } from '../../scripts/hub/wallet.ts'
import { reasonOf } from '../errors.ts'
import { privateKeys } from '../private-keys.ts'
import { bondAll, type Device, makeDevice } from './devices.ts'
import { makeProject } from './project.ts'

export interface SampleOptions {
  readonly hub: string
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  /** The folder with the keys of the devices. */
  readonly devicesFolder: string
}

export type Sample = Awaited<ReturnType<typeof makeSample>>

const devices = ['1', '2', '3']

/**
 * Makes the sample data of a new network with transactions that its people send themselves, which is faster than the
 * relay: a project in the catalogue, and devices with collateral that work for it. It can be repeated: records that exist are left as they
 * are, but for collateral that was lost to slashes, without which no device would work any more.
 */
export async function makeSample({ hub, rpcUrl, contracts, devicesFolder }: SampleOptions) {
  const startedMs = performance.now()
  const dataDirs = devices.map((name) => path.join(devicesFolder, name))
  const network = await readNetwork(hub)
  const [developer, operator, miner] = await Promise.all([
    signIn(network, privateKeys.developer),
    signIn(network, privateKeys.operator),
    signIn(network, privateKeys.miner),
  ])
  const [projectId, made] = await Promise.all([
    named('The project', () => makeProject({ network, rpcUrl, contracts, developer, operator })),
    makeDevices(network, miner, dataDirs),
  ])
  await named('The collateral', () => bondAll({ rpcUrl, contracts }, miner, projectId, made))
  const nodeIds = made.map(({ nodeId }) => nodeId)
  return {
    projectId,
    nodeIds,
    /** One for each device. */
    dataDirs,
    /** How long it took to make, or to see that it is there. */
    seconds: (performance.now() - startedMs) / 1000,
  }
}

async function makeDevices(network: Network, miner: Wallet, dataDirs: readonly string[]): Promise<Device[]> {
  const made: Device[] = []
  for (const dataDir of dataDirs)
    made.push(await named(`Device ${path.basename(dataDir)}`, () => makeDevice(network, miner, dataDir)))
  return made
}

/** Has a failure say what could not be made. */
async function named<T>(what: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (cause) {
    throw new CommandError(`${what}: ${reasonOf(cause)}`, { cause })
  }
}
