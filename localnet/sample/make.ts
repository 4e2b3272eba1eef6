import path from 'node:path'
import type { ContractAddresses } from '../../contracts/deploy.ts'
import { readNetwork } from '../../tools/client/network.ts'
import { signIn } from '../../tools/client/sign-in.ts'
import { CommandError } from '../../tools/command/errors.ts'
import { privateKeys } from '../accounts.ts'
import { reasonOf } from '../errors.ts'
import { makeDevice } from './devices.ts'
import { makeProject } from './project.ts'

export interface SampleOptions {
  readonly hub: string
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  /** Where the keys of the devices are. */
  readonly devicesFolder: string
}

export interface Sample {
  readonly projectId: string
  readonly nodeIds: readonly string[]
}

const devices = ['1', '2', '3']

/**
 * Makes the sample data of a new network the way people would: a project in the catalogue, and devices with collateral
 * that work for it. Whatever is there already is left as it is, so it can be repeated.
 */
export async function makeSample({ hub, rpcUrl, contracts, devicesFolder }: SampleOptions): Promise<Sample> {
  const network = await readNetwork(hub)
  const [developer, operator, miner] = await Promise.all([
    signIn(network, privateKeys.developer),
    signIn(network, privateKeys.operator),
    signIn(network, privateKeys.miner),
  ])
  const projectId = await named('The project', () =>
    makeProject({ network, rpcUrl, contracts, developer, operator }),
  )
  const nodeIds: string[] = []
  // One after the other: an owner has one bond under way at a time.
  for (const name of devices)
    nodeIds.push(
      await named(`Device ${name}`, () =>
        makeDevice(network, miner, projectId, path.join(devicesFolder, name)),
      ),
    )
  return { projectId, nodeIds }
}

/** Has a failure say what could not be made. */
async function named<T>(what: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (cause) {
    throw new CommandError(`${what}: ${reasonOf(cause)}`, { cause })
  }
}
