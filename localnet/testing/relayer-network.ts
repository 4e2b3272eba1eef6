import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Anvil } from '../../contracts/anvil.ts'
import type { ContractAddresses } from '../../contracts/deploy.ts'
import type {
  RelayerHealth,
  RelayRequest,
  RelayResult,
  RelayView,
} from '../../durable-objects/relayer/types.ts'
import { bundleHub } from '../bundle.ts'
import { type Hub, startHub } from '../hub.ts'
import { startAnvil } from './anvil.ts'
import { deployNetwork, relayerKey } from './deployed-chain.ts'
import { driver, driverOf } from './driver.ts'
import { type Registration, register, registeredProjects } from './registrations.ts'
import { ownWorkerds } from './workerd.ts'

export interface RelayerStub {
  accept: (request: RelayRequest) => Promise<RelayResult>
  submit: (ids: readonly string[]) => Promise<void>
  relay: (request: RelayRequest) => Promise<RelayResult>
  find: (id: string) => Promise<RelayView | null>
  health: () => Promise<RelayerHealth>
  wake: () => Promise<void>
}

/** A relayer with a key of its own. */
export interface Relayer extends RelayerStub {
  signer: string
  /** Transactions of its key in blocks. */
  mined: () => Promise<number>
}

export interface RelayerNetwork {
  chain: Anvil
  contracts: ContractAddresses
  hub: Hub
  /** The first of the relayers, which all are. */
  relayer: Relayer
  relayers: Relayer[]
  /** Something to relay that can be done once. */
  action: (over?: Partial<RelayRequest>) => Registration
  /** The projects of the actions that were done, once for each time. */
  done: () => Promise<string[]>
  /** Ends workerd as a power cut would, and starts it again over what it had stored. */
  crash: () => Promise<void>
  /** Returns once no crash is under way. */
  up: () => Promise<unknown>
  stop: () => Promise<void>
}

export interface NetworkOptions {
  anvilFlags?: readonly string[]
  vars?: Record<string, string>
  /** Hubs with a relayer each; 1 when left out. */
  hubs?: number
  /** Needed to crash: what is not stored does not survive. */
  statePath?: string
  /** Where the n-th hub finds the chain, when something stands between. */
  between?: (chain: Anvil) => Promise<(hub: number) => string>
}

/** Hubs in workerd, each with a relayer, on a chain of their own with the contracts. */
export async function startRelayerNetwork(options: NetworkOptions = {}): Promise<RelayerNetwork> {
  const { hubs = 1, statePath, vars } = options
  const chain = await startAnvil(options.anvilFlags)
  const { contracts, startBlock } = await deployNetwork(chain)
  const keys = Array.from({ length: hubs }, (_, hub) => (hub === 0 ? relayerKey : generatePrivateKey()))
  const signers = keys.map((key) => privateKeyToAddress(key).toLowerCase())
  for (const signer of signers) await chain.rpc('anvil_setBalance', signer, hundredEther)
  const urlOf = options.between ? await options.between(chain) : () => chain.url
  const script = await bundleHub()
  const own = (hub: number) => ({
    CHAIN_RPC_URL: urlOf(hub),
    RELAYER_PRIVATE_KEY: keys[hub] as string,
  })
  const common = {
    HUB_SECRET: 'a secret that only tests know, long enough',
    CHAIN_CONTRACTS: JSON.stringify(contracts),
    CHAIN_START_BLOCK: String(startBlock),
    CHAIN_CONFIRMATIONS: '1',
    RELAYER_TICK_MS: '50',
    RELAYER_STUCK_MS: '300',
    ...vars,
  }
  const start = async () => {
    const before = ownWorkerds()
    const hub = await startHub({
      script,
      port: 0,
      callersNameAddress: true,
      ...(statePath !== undefined && { statePath }),
      vars: { ...common, ...own(0) },
      extraHubs: Object.fromEntries(keys.slice(1).map((_, i) => [`hub${i + 1}`, own(i + 1)])),
      extraWorkers: { driver },
    })
    return { hub, workerds: ownWorkerds().filter((pid) => !before.includes(pid)) }
  }
  let running = await start()
  const reach = async (): Promise<Relayer[]> => {
    const url = await running.hub.miniflare.unsafeGetDirectURL('driver')
    return signers.map((signer, hub) => {
      const binding = hub === 0 ? 'RELAYER' : `hub${hub}_RELAYER`
      const call = driverOf(url, binding, `31337:${signer}`)
      return {
        signer,
        accept: (request) => call('accept', request),
        submit: (ids) => call('submit', ids),
        relay: (request) => call('relay', request),
        find: (id) => call('find', id),
        health: () => call('health'),
        wake: () => call('wake'),
        mined: async () => Number(await chain.rpc('eth_getTransactionCount', signer, 'latest')),
      }
    })
  }
  let crashing = Promise.resolve()
  const crash = async () => {
    for (const pid of running.workerds) process.kill(pid, 'SIGKILL')
    await running.hub.stop()
    running = await start()
    network.hub = running.hub
    network.relayers = await reach()
    network.relayer = network.relayers[0] as Relayer
  }
  const relayers = await reach()
  const network: RelayerNetwork = {
    chain,
    contracts,
    hub: running.hub,
    relayer: relayers[0] as Relayer,
    relayers,
    action: (over) => register(contracts, over),
    done: () => registeredProjects(chain, contracts),
    crash() {
      crashing = crash()
      return crashing
    },
    up: () => crashing,
    async stop() {
      await running.hub.stop()
      await chain.stop()
    },
  }
  return network
}

const hundredEther = `0x${(10n ** 20n).toString(16)}`
