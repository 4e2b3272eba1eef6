import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { GivenProfile } from '../protocol/identity/index.ts'
import { bundleHub } from '../scripts/bundle.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { type ChainOptions, catchUp, startChain } from './chain.ts'
import { makeDeployment } from './deployment.ts'
import { type HubOptions, startHub } from './hub.ts'
import { passTime } from './pass-time.ts'
import { pickPort } from './port.ts'
import { profileOn, writeProfile } from './profile.ts'
import { keepSchedule } from './schedule.ts'
import { hubSettings } from './settings.ts'

export type TemporaryNetwork = Awaited<ReturnType<typeof startTemporaryNetwork>>

export interface TemporaryNetworkOptions {
  /** Changes of the hub, and of its settings. */
  readonly hub?: Partial<Omit<HubOptions, 'script' | 'port'>>
  /** Its chain has nothing but the contracts. */
  readonly chain?: Pick<ChainOptions, 'pastSecs' | 'blockSecs'>
  /** The names of the network that differ from the default. */
  readonly profile?: GivenProfile
  /** Throws, between its parts, if it is not wanted any more: it stops what runs, and throws the same. */
  readonly requireWanted?: () => void
}

/** Starts a chain, contracts and a hub, which are forgotten when they stop. @param folder - Where the chain is kept meanwhile. */
export async function startTemporaryNetwork(
  folder: string,
  {
    hub: changes = {},
    chain: chainOptions = {},
    profile: given = {},
    requireWanted = () => {},
  }: TemporaryNetworkOptions = {},
) {
  const chain = await startChain(path.join(folder, 'chain.json'), 0, () => {}, chainOptions)
  try {
    requireWanted()
    const profile = profileOn(chain.id, given)
    const profileFile = path.join(folder, 'profile.json')
    writeProfile(profileFile, profile)
    const deployment = await makeDeployment(path.join(folder, 'deployment.json'), chain, profile)
    if (chainOptions.pastSecs !== undefined) await catchUp(chain.url)
    if (changes.files !== false) await import('../scripts/copy-assets.ts')
    requireWanted()
    const port = await pickPort()
    const url = `http://localhost:${port}`
    const hubSecret = randomBytes(32).toString('hex')
    const coordinatorSeed = `0x${randomBytes(32).toString('hex')}`
    const settings = hubSettings({ baseUrl: url, chain, profile, deployment, hubSecret, coordinatorSeed })
    const vars = { ...settings, ...changes.vars }
    const hub = await startHub({ ...changes, script: await bundleHub(), port, vars })
    const endSchedule = await keepSchedule(hub, url, (error) => console.error('The crons failed:', error))
    return {
      /** Origin of the hub. */
      url,
      rpcUrl: chain.url,
      contracts: deployment.contracts,
      /** File with the names of the network, for its nodes. */
      profile: profileFile,
      /** Lets time pass on the chain, and waits until the hub has followed. */
      passTime: async (seconds: number) => {
        await passTime(await readNetwork(url), chain.url, seconds)
      },
      stop: async () => {
        endSchedule()
        await hub.stop()
        await chain.stop()
      },
    }
  } catch (error) {
    await chain.stop()
    throw error
  }
}
