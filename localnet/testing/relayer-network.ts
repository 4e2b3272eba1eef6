import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type {
  RelayerHealth,
  RelayRequest,
  RelayResult,
  RelayView,
} from '../../durable-objects/relayer/types.ts'
import { bundleHub } from '../bundle.ts'
import { type Hub, startHub } from '../hub.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { driver, driverOf } from './driver.ts'
import { actData, placeProbe } from './probe.ts'
import { ownWorkerds } from './workerd.ts'

export const probeAddress = `0x${'b0'.repeat(20)}`

/** Any 32 bytes nobody has used. */
export const freshId = (): string => `0x${randomBytes(32).toString('hex')}`

/** Something to relay that can be done once. */
export const action = (over: Partial<RelayRequest> = {}): RelayRequest => {
  const id = over.id ?? freshId()
  return {
    id,
    action: 'bond',
    owner: `0x${'0a'.repeat(20)}`,
    lane: null,
    to: probeAddress,
    data: actData(id),
    valueWei: '0',
    ...over,
  }
}

export interface RelayerStub {
  relay: (request: RelayRequest) => Promise<RelayResult>
  find: (id: string) => Promise<RelayView | null>
  health: () => Promise<RelayerHealth>
  wake: () => Promise<void>
}

async function reachRelayer({ miniflare }: Hub, object: string): Promise<RelayerStub> {
  const call = driverOf(await miniflare.unsafeGetDirectURL('driver'), 'RELAYER', object)
  return {
    relay: (request) => call('relay', request),
    find: (id) => call('find', id),
    health: () => call('health'),
    wake: () => call('wake'),
  }
}

export interface RelayerNetwork {
  chain: Anvil
  hub: Hub
  signer: string
  relayer: RelayerStub
  /** Ends workerd as a power cut would, and starts the hub again over what it had stored. */
  crash: () => Promise<void>
  stop: () => Promise<void>
}

export interface NetworkOptions {
  anvilFlags?: readonly string[]
  vars?: Record<string, string>
  /** Needed to crash: what is not stored does not survive. */
  statePath?: string
  /** Where the hub finds the chain, when something stands between. */
  between?: (chain: Anvil) => Promise<string>
}

/** A hub in workerd with a relayer, on a chain of its own. */
export async function startRelayerNetwork(options: NetworkOptions = {}): Promise<RelayerNetwork> {
  const chain = await startAnvil(options.anvilFlags)
  const key = generatePrivateKey()
  const signer = privateKeyToAddress(key).toLowerCase()
  await chain.rpc('anvil_setBalance', signer, `0x${(10n ** 20n).toString(16)}`)
  await placeProbe(chain, probeAddress)
  const rpcUrl = options.between ? await options.between(chain) : chain.url
  const script = await bundleHub()
  const start = () =>
    startHub({
      script,
      port: 0,
      ...(options.statePath !== undefined && { statePath: options.statePath }),
      vars: relayerVars(rpcUrl, key, options.vars),
      beside: { driver },
    })
  const before = ownWorkerds()
  const hub = await start()
  let workerds = ownWorkerds().filter((pid) => !before.includes(pid))
  const network: RelayerNetwork = {
    chain,
    hub,
    signer,
    relayer: await reachRelayer(hub, `31337:${signer}`),
    async crash() {
      for (const pid of workerds) process.kill(pid, 'SIGKILL')
      await network.hub.stop()
      const others = ownWorkerds()
      network.hub = await start()
      workerds = ownWorkerds().filter((pid) => !others.includes(pid))
      network.relayer = await reachRelayer(network.hub, `31337:${signer}`)
    },
    async stop() {
      await network.hub.stop()
      await chain.stop()
    },
  }
  return network
}

const relayerVars = (rpcUrl: string, key: string, over: Record<string, string> = {}) => ({
  HUB_SECRET: 'a secret that only tests know, long enough',
  CHAIN_RPC_URL: rpcUrl,
  RELAYER_PRIVATE_KEY: key,
  RELAYER_TICK_MS: '50',
  RELAYER_STUCK_MS: '300',
  CHAIN_CONFIRMATIONS: '1',
  ...over,
})
