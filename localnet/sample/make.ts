import path from 'node:path'
import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import { type Network, readNetwork } from '../../sdk/network.ts'
import { signIn, type Wallet } from '../../sdk/sign-in.ts'
import { accounts, privateKeys } from '../accounts.ts'
import { reasonOf } from '../errors.ts'
import { sendDirect } from '../send-direct.ts'
import { approval, type Device, makeDevice, subscribe, waitForBond } from './devices.ts'
import { makeProject } from './project.ts'

export interface SampleOptions {
  readonly hub: string
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  /** Where the keys of the devices are. */
  readonly devicesFolder: string
  /** Names of the devices, which are folders; left out, there are three. */
  readonly devices?: readonly string[]
}

export interface Sample {
  readonly projectId: string
  readonly nodeIds: readonly string[]
  /** One for each device. */
  readonly dataDirs: readonly string[]
  /** How long it took to make, or to see that it is there. */
  readonly seconds: number
}

const threeDevices = ['1', '2', '3']

/**
 * Makes the sample data of a new network the way people would who send their transactions themselves, which is faster than
 * the relay: a project in the catalogue, and devices with collateral that work for it. Whatever is there already is left as
 * it is, so it can be repeated.
 */
export async function makeSample(options: SampleOptions): Promise<Sample> {
  const startedMs = performance.now()
  const { hub, rpcUrl, contracts, devicesFolder, devices = threeDevices } = options
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
  await named('The collateral', () => bond(options, miner, projectId, made))
  const nodeIds = made.map(({ nodeId }) => nodeId)
  return { projectId, nodeIds, dataDirs, seconds: (performance.now() - startedMs) / 1000 }
}

async function makeDevices(network: Network, miner: Wallet, dataDirs: readonly string[]): Promise<Device[]> {
  const made: Device[] = []
  for (const dataDir of dataDirs)
    made.push(await named(`Device ${path.basename(dataDir)}`, () => makeDevice(network, miner, dataDir)))
  return made
}

/** Subscribes devices to a project, with collateral. */
async function bond(
  { rpcUrl, contracts: { token, staking } }: SampleOptions,
  miner: Wallet,
  projectId: string,
  made: readonly Device[],
): Promise<void> {
  const bonds = (await Promise.all(made.map((device) => subscribe(miner, projectId, device)))).filter(
    (call) => call !== null,
  )
  if (bonds.length > 0)
    await sendDirect(rpcUrl, accounts.miner, [approval(token, staking, bonds.length), ...bonds])
  await Promise.all(made.map((device) => waitForBond(miner, projectId, device)))
}

/** Has a failure say what could not be made. */
async function named<T>(what: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (cause) {
    throw new CommandError(`${what}: ${reasonOf(cause)}`, { cause })
  }
}
