import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Deployment } from '../../contracts/deploy.ts'
import { accounts } from '../../localnet/accounts.ts'
import { catchUp, startChain } from '../../localnet/chain.ts'
import { makeDeployment } from '../../localnet/deployment.ts'
import type { HubOptions } from '../../localnet/hub.ts'
import { beginLocalValidators } from '../../localnet/nodes/begin-validators.ts'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import {
  LocalNode,
  type NodePlan,
  type NodeRole,
  type NodeSurroundings,
} from '../../localnet/nodes/local-node.ts'
import { validatorCount } from '../../localnet/nodes/local-nodes.ts'
import { waitForIndex, waitForSet } from '../../localnet/nodes/ready.ts'
import { passTime } from '../../localnet/pass-time.ts'
import { pickPort } from '../../localnet/port.ts'
import { privateKeys } from '../../localnet/private-keys.ts'
import { writeProfile } from '../../localnet/profile.ts'
import { approval, makeDevice, subscribe, waitForBond } from '../../localnet/sample/devices.ts'
import { makeProject } from '../../localnet/sample/project.ts'
import { type DirectCall, sendDirect } from '../../localnet/send-direct.ts'
import { hubSettings } from '../../localnet/settings.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import {
  deriveSubscriptionId,
  networkParamsOf,
  type Profile,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { bundleHub } from '../../scripts/bundle.ts'
import { type Network, readEconomics, readNetwork } from '../../scripts/hub/network.ts'
import { signIn, unixNow } from '../../scripts/hub/wallet.ts'
import { startFaultProxy } from '../../testing/fault-proxy.ts'
import { patientFetch } from './ask-again.ts'
import { encodeCall, stakingCall } from './contracts.ts'
import { HubProcess } from './hub-process.ts'

export interface Validator {
  readonly node: LocalNode
  /** The epoch in which it left. */
  leftIn: number | null
}

/** A device with collateral, and where it is paid. */
export interface Miner extends Validator {
  readonly subscriptionId: string
  readonly payoutKey: string
  /** Network time of the spans in which its process did not run; the last may have no end yet. */
  readonly downs: { from: number; to: number | null }[]
}

/** A chain with the contracts of a network, as that of {@link localChain} is. */
export interface NetworkChain {
  /** A node for what people send by themselves, and for checks. */
  readonly url: string
  readonly id: number
  readonly profile: Profile
  readonly deployment: Deployment
  /** The hub's settings for reading this chain; the hub keeps its data in `statePath`. Default: a proxy whose logs may lag. */
  readonly hubSettings?: (usual: Record<string, string>, statePath: string) => Record<string, string>
  /** The RPC URL that a validator reads it from, by its number. */
  readonly rpcOfValidator?: (number: number) => string
  readonly pass: (network: Network, seconds: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface NodeNetworkOptions {
  readonly folder: string
  readonly miners: number
  readonly validators?: number
  /** Left out, a local one. */
  readonly chain?: NetworkChain
  readonly hub?: Pick<HubOptions, 'inspectorPort'>
  /** Folder with the state of the hub. Default: a folder inside `folder`. */
  readonly statePath?: string
  /** The programs that run the nodes of a role, in turn; left out, this project's own. */
  readonly programs?: readonly Pick<NodeSurroundings, 'dist' | 'node'>[]
  /** Makes a node; left out, one in a process of its own. */
  readonly nodeOf?: (plan: NodePlan, surroundings: NodeSurroundings) => LocalNode
  /** Told of a node that ends by itself. */
  readonly problem: (text: string) => void
}

export type NodeNetwork = Awaited<ReturnType<typeof startNodeNetwork>>

/** The chain begins in the past, so that the running epoch has a beacon. */
const pastSecs = 2 * 3_600
/** A task waits for the block after its committee agreed. */
const blockSecs = 2
/** Above the least that is needed, so that a member that is slashed for a missed lease stays one. */
const topUpWei = 50n * 10n ** 18n

/** A chain that begins in the past, with the contracts. */
export async function localChain(folder: string): Promise<NetworkChain> {
  mkdirSync(folder, { recursive: true })
  const chain = await startChain(path.join(folder, 'chain.json'), 0, () => {}, { pastSecs, blockSecs })
  const profile = resolveProfile({ chain_id: chain.id })
  const deployment = await makeDeployment(path.join(folder, 'deployment.json'), chain, profile)
  await catchUp(chain.url)
  const pass = async (network: Network, seconds: number) => {
    await passTime(network, chain.url, seconds)
  }
  return { url: chain.url, id: chain.id, profile, deployment, pass, stop: chain.stop }
}

/** Starts a hub that may end, a chain whose logs may lag, validators, and miners with collateral in one project. */
export async function startNodeNetwork(options: NodeNetworkOptions) {
  const { folder, problem, programs = [{ dist: await builtNodectl() }] } = options
  const { nodeOf = (plan, surroundings) => new LocalNode(plan, surroundings) } = options
  const ends: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of ends.reverse()) await end()
  }
  try {
    const chain = options.chain ?? (await localChain(folder))
    ends.push(() => chain.stop())
    const { profile, deployment } = chain
    const { contracts } = deployment
    const profileFile = path.join(folder, 'profile.json')
    mkdirSync(folder, { recursive: true })
    writeProfile(profileFile, profile)
    const hubProxy = await startFaultProxy(chain.url)
    const validatorProxy = await startFaultProxy(chain.url)
    ends.push(hubProxy.stop, validatorProxy.stop)
    await import('../../scripts/copy-assets.ts')
    const port = await pickPort()
    const hubUrl = `http://localhost:${port}`
    const hubSecret = randomBytes(32).toString('hex')
    const coordinatorSeed = `0x${randomBytes(32).toString('hex')}`
    const parts = { baseUrl: hubUrl, chain, profile, deployment, hubSecret, coordinatorSeed }
    const usual = {
      ...hubSettings(parts),
      CHAIN_RPC_URL: hubProxy.url,
      // Blocks whose logs may lag are not final at once.
      CHAIN_FINALITY_BLOCKS: '5',
      RATE_LIMIT_MULTIPLIER: '1000',
    }
    const statePath = options.statePath ?? path.join(folder, 'storage')
    const vars = chain.hubSettings?.(usual, statePath) ?? usual
    const script = await bundleHub()
    const hub = new HubProcess({ ...options.hub, script, port, statePath, vars }, hubUrl)
    await hub.start()
    ends.push(() => hub.end('SIGTERM'))
    const network = await readNetwork(hubUrl, patientFetch)
    // Its time leaps with each block of the past that it reads, and a node that signs meanwhile is refused.
    await waitForIndex(statePath, chain.url)
    const nodes: LocalNode[] = []
    ends.push(() => Promise.all(nodes.map((node) => node.stop())))
    const begin = async (role: NodeRole, number: number, dataDir: string): Promise<LocalNode> => {
      const name = `${role}-${number}`
      const node = nodeOf(
        { name, role, dataDir, logFile: path.join(folder, 'logs', `${name}.log`), port: await pickPort() },
        {
          ...programs[(number - 1) % programs.length]!,
          hub: hubUrl,
          // Half of the validators read a chain whose logs lag, as the hub does.
          rpcUrl: chain.rpcOfValidator?.(number) ?? (number % 2 === 1 ? validatorProxy.url : chain.url),
          // Nodes of an earlier build do not know the flag, and need none for the names of a local network.
          ...(options.chain !== undefined && { profile: profileFile }),
          apiToken: 'of-the-measurement',
          onLoss: ({ name, plan }) => problem(`${name} ended by itself: ${plan.logFile}`),
        },
      )
      nodes.push(node)
      await node.start()
      await node.waitUntilKnown()
      return node
    }
    const validators: Validator[] = []
    const addValidator = async () => {
      const number = validators.length + 1
      const node = await begin('validator', number, path.join(folder, 'validators', String(number)))
      const validator = { node, leftIn: null }
      validators.push(validator)
      return validator
    }
    for (let count = 0; count < (options.validators ?? validatorCount); count++) await addValidator()
    await beginLocalValidators(hubUrl, nodes)

    const [developer, operator, owner] = await Promise.all([
      signIn(network, privateKeys.developer),
      signIn(network, privateKeys.operator),
      signIn(network, privateKeys.miner),
    ])
    const projectId = await makeProject({ network, rpcUrl: chain.url, contracts, developer, operator })
    const miners: Miner[] = []
    const send = (calls: readonly DirectCall[]) => sendDirect(chain.url, accounts.miner, calls)
    const addMiner = async () => {
      const number = miners.length + 1
      const dataDir = path.join(folder, 'devices', String(number))
      const device = await makeDevice(network, owner, dataDir)
      const bond = await subscribe(owner, projectId, device)
      const subscriptionId = deriveSubscriptionId(projectId, owner.address, device.publicKey)
      // Two devices are paid to one address, and one to its owner.
      const payoutKey =
        number === 1
          ? privateKeys.miner
          : number === 3 && miners[1] !== undefined
            ? miners[1].payoutKey
            : `0x${randomBytes(32).toString('hex')}`
      await send([
        approval(contracts.token, contracts.staking, 2),
        ...(bond === null ? [] : [bond]),
        encodeCall(stakingCall({ contracts }, 'bond', projectId, device.publicKey, topUpWei)),
        encodeCall(stakingCall({ contracts }, 'setPayout', subscriptionId, evmAddress(payoutKey))),
      ])
      await waitForBond(owner, projectId, device)
      const node = await begin('miner', number, dataDir)
      const miner: Miner = { node, subscriptionId, payoutKey, downs: [], leftIn: null }
      miners.push(miner)
      return miner
    }
    for (let count = 0; count < options.miners; count++) await addMiner()
    let lead = (await network.now()) - unixNow()
    return {
      network,
      hub,
      hubProxy,
      validatorProxy,
      hubUrl,
      rpcUrl: chain.url,
      contracts,
      projectId,
      operator,
      developer,
      owner,
      miners,
      validators,
      folder,
      dist: programs[0]!.dist,
      addValidator,
      addMiner,
      send,
      /** Network time as of the last look at it; the hub may be away. */
      time: () => unixNow() + lead,
      async pass(seconds: number) {
        if (seconds <= 0) return
        await chain.pass(network, seconds)
        lead = (await network.now()) - unixNow()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The first epoch from whose set committees are drawn: its beacon is after every bond. */
export const firstEpochOf = ({ time, network }: NodeNetwork, epochSecs: number): number =>
  epochAt(time() + networkParamsOf(network.profile.chain_id).beacon_offset_secs, epochSecs) + 1

/**
 * Moves time to where committees are drawn from the miners.
 *
 * @param untilEpochEnd Seconds that are left of the epoch then, at most; left out, the whole epoch.
 */
export async function passIntoWork(network: NodeNetwork, untilEpochEnd?: number): Promise<void> {
  const { network: descriptor, projectId, pass, time } = network
  const { epoch_secs } = await readEconomics(descriptor.client, projectId)
  const epoch = firstEpochOf(network, epoch_secs)
  await pass(epochStart(epoch, epoch_secs) - time())
  await waitForSet(descriptor.hub, projectId)
  await pass(epochStart(epoch + 1, epoch_secs) - (untilEpochEnd ?? epoch_secs) - time())
}
