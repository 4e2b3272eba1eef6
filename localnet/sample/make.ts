import path from 'node:path'
import type { ContractAddresses } from '../../contracts/deploy.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { privateKeys } from '../accounts.ts'
import { HubAccount } from './account.ts'
import { makeDevice } from './devices.ts'
import { makeProject } from './project.ts'

export interface SampleOptions {
  readonly hub: string
  readonly profile: Profile
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
 * Makes what there is to look at in a new network, the way people would: a project in the catalogue, and devices with
 * collateral that work for it. Whatever is there already is left as it is, so it can be repeated.
 */
export async function makeSample(options: SampleOptions): Promise<Sample> {
  const { hub, profile, rpcUrl, contracts, devicesFolder } = options
  const [developer, operator, miner] = await Promise.all([
    HubAccount.signIn(hub, 'developer'),
    HubAccount.signIn(hub, 'operator'),
    HubAccount.signIn(hub, 'miner'),
  ])
  const projectId = await makeProject({
    profile,
    rpcUrl,
    contracts,
    developer,
    developerKey: privateKeys.developer,
    operator,
  })
  const nodeIds: string[] = []
  // One after the other: an owner has one bond under way at a time.
  for (const name of devices)
    nodeIds.push(
      await makeDevice(
        { hub, profile, projectId, miner, minerKey: privateKeys.miner },
        path.join(devicesFolder, name),
      ),
    )
  return { projectId, nodeIds }
}
