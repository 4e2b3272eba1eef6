import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { accounts, privateKeys } from '../../localnet/accounts.ts'
import { catchUp, startChain } from '../../localnet/chain.ts'
import { makeDeployment } from '../../localnet/deployment.ts'
import { beginLocalValidators } from '../../localnet/nodes/begin-validators.ts'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import { LocalNode, type NodeRole } from '../../localnet/nodes/local-node.ts'
import { validatorCount } from '../../localnet/nodes/local-nodes.ts'
import { passTime } from '../../localnet/pass-time.ts'
import { probePort } from '../../localnet/port.ts'
import { approval, makeDevice, subscribe, waitForBond } from '../../localnet/sample/devices.ts'
import { makeProject } from '../../localnet/sample/project.ts'
import { type DirectCall, sendDirect } from '../../localnet/send-direct.ts'
import { hubSettings } from '../../localnet/settings.ts'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { bundleHub } from '../../scripts/bundle.ts'
import { unwrap } from '../../sdk/answers.ts'
import { HubError } from '../../sdk/hub-error.ts'
import { type Network, readNetwork } from '../../sdk/network.ts'
import { signIn, type Wallet } from '../../sdk/sign-in.ts'
import { type FaultProxy, startFaultProxy } from '../../testing/fault-proxy.ts'
import { patientFetch } from '../network/ask-again.ts'
import { encodeCall, stakingCall } from '../network/contracts.ts'
import { HubProcess } from './hub-process.ts'

/** A device with collateral, and where it is paid. */
export interface Miner {
  readonly node: LocalNode
  readonly publicKey: string
  readonly subscriptionId: string
  readonly payoutKey: string
  /** Network time of the spans in which its process did not run; the last may have no end yet. */
  readonly downs: { from: number; to: number | null }[]
  /** The epoch in which it left. */
  leftIn: number | null
}

export interface Validator {
  readonly node: LocalNode
  /** The epoch in which it left. */
  leftIn: number | null
}

export interface WeekNetwork {
  readonly network: Network
  readonly hub: HubProcess
  readonly hubProxy: FaultProxy
  readonly validatorProxy: FaultProxy
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  readonly projectId: string
  readonly operator: Wallet
  readonly owner: Wallet
  readonly miners: Miner[]
  readonly validators: Validator[]
  /** Network time as of the last look at it; the hub may be away. */
  readonly time: () => number
  readonly pass: (seconds: number) => Promise<void>
  readonly addValidator: () => Promise<Validator>
  readonly addMiner: () => Promise<Miner>
  /** Sends calls of the owner of the devices. */
  readonly send: (calls: readonly DirectCall[]) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The chain begins in the past, so that the running epoch has a beacon. */
const pastSecs = 2 * 3_600
const blockSecs = 2
const unixNow = (): number => Math.floor(Date.now() / 1000)
const firstMiners = 5
/** Above the least that is needed, so that a member that is slashed for a missed lease stays one. */
const topUpWei = 50n * 10n ** 18n

export async function startWeekNetwork(
  folder: string,
  onLoss: (node: LocalNode) => void,
): Promise<WeekNetwork> {
  const ends: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of ends.reverse()) await end()
  }
  try {
    const chain = await startChain(path.join(folder, 'chain.json'), 0, () => {}, { pastSecs, blockSecs })
    ends.push(() => chain.stop())
    const deployment = await makeDeployment(path.join(folder, 'deployment.json'), chain)
    await catchUp(chain.url)
    const { contracts } = deployment
    const [hubProxy, validatorProxy] = await Promise.all([
      startFaultProxy(chain.url),
      startFaultProxy(chain.url),
    ])
    ends.push(
      () => hubProxy.stop(),
      () => validatorProxy.stop(),
    )
    const hub = await startWeekHub(folder, chain, deployment, hubProxy)
    ends.push(() => hub.process.end('SIGTERM'))
    const network = await readNetwork(hub.url, patientFetch)
    const nodes: LocalNode[] = []
    ends.push(() => Promise.all(nodes.map((node) => node.stop())))
    const dist = await builtNodectl()
    const begin = async (role: NodeRole, number: number, dataDir: string): Promise<LocalNode> => {
      const name = `${role}-${number}`
      const node = new LocalNode(
        { name, role, dataDir, logFile: path.join(folder, 'logs', `${name}.log`), port: await probePort(0) },
        {
          dist,
          hub: hub.url,
          // Half of the validators read a chain whose logs lag, as the hub does.
          rpcUrl: number % 2 === 1 ? validatorProxy.url : chain.url,
          chainId: 31337,
          apiToken: 'of-the-measurement',
          onLoss,
        },
      )
      nodes.push(node)
      await node.start()
      return node
    }
    const validators: Validator[] = []
    const addValidator = async () => {
      const number = validators.length + 1
      const node = await begin('validator', number, path.join(folder, 'validators', String(number)))
      await node.waitUntilKnown()
      const validator = { node, leftIn: null }
      validators.push(validator)
      return validator
    }
    for (let count = 0; count < validatorCount; count++) await addValidator()
    await beginLocalValidators(
      hub.url,
      validators.map(({ node }) => node),
    )

    const [developer, operator, owner] = await Promise.all([
      signIn(network, privateKeys.developer),
      signIn(network, privateKeys.operator),
      signIn(network, privateKeys.miner),
    ])
    const projectId = await makeProject({ network, rpcUrl: chain.url, contracts, developer, operator })
    const miners: Miner[] = []
    const send = (calls: readonly DirectCall[]) => sendDirect(chain.url, accounts.miner, calls)
    const addMiner = async (): Promise<Miner> => {
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
      await node.waitUntilKnown()
      const { publicKey } = device
      const miner: Miner = { node, publicKey, subscriptionId, payoutKey, downs: [], leftIn: null }
      miners.push(miner)
      return miner
    }
    for (let count = 0; count < firstMiners; count++) await addMiner()
    let lead = (await network.now()) - unixNow()
    return {
      network,
      hub: hub.process,
      hubProxy,
      validatorProxy,
      rpcUrl: chain.url,
      contracts,
      projectId,
      operator,
      owner,
      miners,
      validators,
      time: () => unixNow() + lead,
      async pass(seconds) {
        if (seconds <= 0) return
        const { to } = await passTime(network, chain.url, seconds)
        lead = to - unixNow()
      },
      addValidator,
      addMiner,
      send,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startWeekHub(
  folder: string,
  chain: Parameters<typeof hubSettings>[0]['chain'],
  deployment: Parameters<typeof hubSettings>[0]['deployment'],
  proxy: FaultProxy,
) {
  await import('../../scripts/copy-assets.ts')
  const port = await probePort(0)
  const url = `http://localhost:${port}`
  const hubSecret = randomBytes(32).toString('hex')
  const coordinatorSeed = `0x${randomBytes(32).toString('hex')}`
  const vars = {
    ...hubSettings({ baseUrl: url, chain, deployment, hubSecret, coordinatorSeed }),
    CHAIN_RPC_URL: proxy.url,
    // Blocks whose logs may lag are not final at once.
    CHAIN_FINALITY_BLOCKS: '5',
    RATE_LIMIT_MULTIPLIER: '1000',
  }
  const statePath = path.join(folder, 'storage')
  const process = new HubProcess({ script: await bundleHub(), port, statePath, vars }, url)
  await process.start()
  return { url, process }
}

/** Changes the validators as an operator does. @returns The number of the generation that was made. */
export async function changeValidators(
  { operator }: Pick<WeekNetwork, 'operator'>,
  approve: readonly Validator[],
  revoke: readonly Validator[],
): Promise<number> {
  const idOf = ({ node }: Validator): string => {
    if (node.nodeId === null) throw new HubError(`${node.name} never served.`)
    return node.nodeId
  }
  const body = { approve: approve.map(idOf), revoke: revoke.map(idOf), emergency: false, reason: 'planned' }
  const made = await unwrap(operator.client.POST('/admin/v1/validators/generations', { body }))
  return made.generation
}
