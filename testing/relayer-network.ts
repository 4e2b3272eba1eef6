import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Anvil } from '../contracts/anvil.ts'
import type { Roles } from '../contracts/deploy-options.ts'
import type { RelayerHealth, RelayRequest, RelayResult, RelayView } from '../durable-objects/relayer/types.ts'
import { type Hub, type HubOptions, startHub } from '../localnet/hub.ts'
import type { PlatformOptions } from '../localnet/platform.ts'
import { bundleHub, type HubBundle } from '../scripts/bundle.ts'
import { markBeginning, startAnvil } from './anvil.ts'
import { breakableBundle, restartHub } from './breakable-hub.ts'
import { deployNetwork, relayerKey } from './deployed-chain.ts'
import { driver, driverOf, queryThrough } from './driver.ts'
import { register, registeredProjects } from './registrations.ts'
import { ownWorkerds } from './workerd.ts'

export interface RelayerStub {
  accept: (request: RelayRequest) => Promise<RelayResult>
  submit: (ids: readonly string[]) => Promise<void>
  relay: (request: RelayRequest) => Promise<RelayResult>
  find: (id: string) => Promise<RelayView | null>
  health: () => Promise<RelayerHealth>
  wake: () => Promise<void>
}

/** The relayer of a hub. Actions that an earlier key of that hub accepted stay with that key. */
export interface Relayer extends RelayerStub {
  signer: string
  /** The object of each key that this hub has had, the present one last. */
  objects: RelayerStub[]
  /** Transactions of its keys in blocks. */
  mined: () => Promise<number>
}

/** Hubs in workerd, each with a relayer, on a chain of their own with the contracts. */
export type RelayerNetwork = Awaited<ReturnType<typeof startRelayerNetwork>>

export interface NetworkOptions {
  anvilFlags?: readonly string[]
  vars?: Record<string, string>
  /** The holders of the roles that the deploying account does not hold. */
  roles?: Partial<Roles>
  /** The port of the hub, also after a crash; a free one at each start if left out. */
  port?: number
  /** Hubs with a relayer each; 1 when left out. */
  hubs?: number
  /** Needed to crash: what is not stored does not survive. */
  statePath?: string
  /** Puts something in front of the hub. */
  front?: (script: HubBundle) => HubBundle | Promise<HubBundle>
  platform?: PlatformOptions
  /** Of V8, as in `HubOptions`. */
  inspectorPort?: HubOptions['inspectorPort']
  /** The URL at which the n-th hub finds the chain, if a proxy stands between them. */
  between?: (chain: Anvil) => Promise<(hub: number) => string>
}

export async function startRelayerNetwork(options: NetworkOptions = {}) {
  const { hubs = 1, port = 0, statePath, vars, front = (script) => script } = options
  const chain = await startAnvil(options.anvilFlags)
  const { contracts, startBlock } = await deployNetwork(chain, options.roles)
  const keys = Array.from({ length: hubs }, (_, hub) => [
    keyOf(hub === 0 ? relayerKey : generatePrivateKey()),
  ])
  /** Gives every key enough to pay with, whatever the chain has forgotten. */
  const fund = async () => {
    for (const { address } of keys.flat()) await chain.rpc('anvil_setBalance', address, hundredEther)
  }
  await fund()
  const urlOf = options.between ? await options.between(chain) : () => chain.url
  const script = await front(await bundleHub())
  const own = (hub: number) => ({
    CHAIN_RPC_URL: urlOf(hub),
    RELAYER_PRIVATE_KEY: keys[hub]?.at(-1)?.privateKey as string,
    RELAYER_PREVIOUS_KEYS: (keys[hub] ?? [])
      .slice(0, -1)
      .map(({ privateKey }) => privateKey)
      .join(','),
  })
  const common = {
    HUB_SECRET: 'a secret that only tests know, long enough',
    LOCAL_NETWORK: 'true',
    CHAIN_CONTRACTS: JSON.stringify(contracts),
    CHAIN_START_BLOCK: String(startBlock),
    CHAIN_CONFIRMATIONS: '1',
    CHAIN_BLOCK_SECS: '2',
    RELAYER_TICK_MS: '50',
    RELAYER_STUCK_MS: '300',
    ...vars,
  }
  const start = async () => {
    const before = ownWorkerds()
    const hub = await startHub({
      script,
      port,
      callersNameAddress: true,
      files: false,
      ...(statePath !== undefined && { statePath }),
      ...(options.platform && { platform: options.platform }),
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
      vars: { ...common, ...own(0) },
      extraHubs: Object.fromEntries(keys.slice(1).map((_, i) => [`hub${i + 1}`, own(i + 1)])),
      extraWorkers: { driver },
    })
    return { hub, workerds: ownWorkerds().filter((pid) => !before.includes(pid)) }
  }
  let running = await start()
  const reach = async (): Promise<Relayer[]> => {
    const url = await running.hub.miniflare.unsafeGetDirectURL('driver')
    return keys.map((ofHub, hub) => {
      const signers = ofHub.map(({ address }) => address)
      const binding = hub === 0 ? 'RELAYER' : `hub${hub}_RELAYER`
      const objects = signers.map((signer) => stubOf(driverOf(url, binding, `31337:${signer}`)))
      return relayerOf(chain, signers, objects)
    })
  }
  let crashing = Promise.resolve()
  const using = new Set<Promise<unknown>>()
  const crash = async (rotating: readonly number[]): Promise<void> => {
    for (const pid of running.workerds) process.kill(pid, 'SIGKILL')
    await Promise.allSettled(using)
    await running.hub.stop()
    for (const hub of rotating) keys[hub]?.push(keyOf(generatePrivateKey()))
    await fund()
    running = await start()
    network.hub = running.hub
    network.relayers = await reach()
    network.relayer = network.relayers[0] as Relayer
  }
  const relayers = await reach()
  const network = {
    chain,
    contracts,
    hub: running.hub,
    /** The first of the relayers, which all are. */
    relayer: relayers[0] as Relayer,
    relayers,
    /** Something to relay that can be done once. */
    action: (over?: Partial<RelayRequest>) => register(contracts, over),
    /** The projects of the actions that were done, once for each time. */
    done: () => registeredProjects(chain, contracts),
    /**
     * Ends workerd as a power cut would, and starts it again over what it had stored; `rotating` hubs with a new key, beside
     * those they had.
     */
    crash(rotating: readonly number[] = []) {
      crashing = crash(rotating)
      return crashing
    },
    fund,
    /** Returns once no crash is under way. */
    up: () => crashing,
    /**
     * Works with what Miniflare gives access to, such as the database. A crash that comes meanwhile makes the work fail: on a
     * hub that is being stopped it would wait for ever, and the whole process with it.
     */
    async use<T>(work: (hub: Hub) => Promise<T>): Promise<T> {
      await crashing
      const done = work(running.hub)
      using.add(done)
      try {
        return await done
      } finally {
        using.delete(done)
      }
    },
    async stop() {
      await running.hub.stop()
      await chain.stop()
    },
  }
  return network
}

/** A network for several tests: each begins on the chain as it is after the deployment, with a hub that has relayed nothing. */
export async function startSharedRelayerNetwork(options: Pick<NetworkOptions, 'statePath'> = {}) {
  const network = await startRelayerNetwork({ ...options, front: breakableBundle })
  const { chain } = network
  const takeBack = await markBeginning(chain)
  return Object.assign(network, {
    /** @param vars Settings of the hub for this test. */
    async begin(vars: Record<string, string> = {}) {
      await restartHub(network.hub, vars)
      await queryThrough(
        await network.hub.miniflare.unsafeGetDirectURL('driver'),
        'DELETE FROM transactions',
        [],
      )
      await takeBack()
      await chain.rpc('evm_setAutomine', true)
    },
  })
}

const keyOf = (privateKey: Hex) => ({ privateKey, address: privateKeyToAddress(privateKey).toLowerCase() })

const stubOf = (call: ReturnType<typeof driverOf>): RelayerStub => ({
  accept: (request) => call('accept', request),
  submit: (ids) => call('submit', ids),
  relay: (request) => call('relay', request),
  find: (id) => call('find', id),
  health: () => call('health'),
  wake: () => call('wake'),
})

/** All keys of one hub, asked as the hub asks them: an action may lie with any of them. */
function relayerOf({ rpc }: Anvil, signers: readonly string[], objects: RelayerStub[]): Relayer {
  return {
    ...(objects.at(-1) as RelayerStub),
    signer: signers.at(-1) as string,
    objects,
    async submit(ids) {
      await Promise.all(objects.map((object) => object.submit(ids)))
    },
    async find(id) {
      const views = await Promise.all(objects.map((object) => object.find(id)))
      return views.find((view) => view !== null) ?? null
    },
    async wake() {
      await Promise.all(objects.map((object) => object.wake()))
    },
    async mined() {
      const counts = signers.map((signer) => rpc<string>('eth_getTransactionCount', signer, 'latest'))
      return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0)
    },
  }
}

const hundredEther = `0x${(10n ** 20n).toString(16)}`
