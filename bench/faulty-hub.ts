import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../contracts/anvil.ts'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import { probePort } from '../localnet/port.ts'
import { type Profile, resolveProfile } from '../protocol/identity/index.ts'
import type { HubBundle } from '../scripts/bundle.ts'
import { relayerKey } from '../testing/deployed-chain.ts'
import { type FaultProxy, startFaultProxy } from '../testing/fault-proxy.ts'
import { type FaultyChain, startFaultyChain } from '../testing/faulty-chain.ts'
import { rowsOf, wake } from '../testing/indexer-network.ts'
import { startRelayerNetwork } from '../testing/relayer-network.ts'
import { type Caller, createCaller } from './settlement/chaos/calls.ts'
import { accessChain, type ChainAccess } from './settlement/chaos/contracts.ts'
import { delay, until } from './settlement/chaos/difference.ts'

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

/** A hub in workerd that may be killed, and a chain that may fail it. */
export interface FaultyHub {
  readonly profile: Profile
  readonly port: number
  readonly origin: string
  readonly contracts: ContractAddresses
  /** Mints tokens. */
  readonly minter: string
  readonly operatorKey: Hex
  readonly chain: ChainAccess
  readonly faulty: FaultyChain
  readonly proxy: FaultProxy
  readonly hub: Caller
  /** Rows of the hub's database. */
  readonly rows: <T extends object = Row>(text: string, ...values: unknown[]) => Promise<T[]>
  /** Runs the schedule of the hub. */
  readonly wake: () => Promise<void>
  /** Lets time pass on the chain, which the hub follows. */
  readonly pass: (seconds: number) => Promise<void>
  /** Registers the node of a key. */
  readonly register: (seed: string, role: 'miner' | 'validator', url: string) => Promise<unknown>
  /** Returns once no crash is under way. */
  readonly up: () => Promise<unknown>
  /** Ends workerd as a power cut would, and starts it over what it had stored. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface FaultyHubOptions {
  /** Blocks on top of one before the hub acts on it. */
  readonly confirmations: number
  /** Most blocks that a reorganisation replaces. */
  readonly depthMax: number
  readonly blockMs: number
  /** Of the hub, beside those that every such hub has. */
  readonly vars: Record<string, string>
  /** Puts something in front of the hub. */
  readonly front?: (script: HubBundle) => HubBundle
  /** Where the next request comes from; another place each time when left out. */
  readonly address?: () => string
}

export async function startFaultyHub(options: FaultyHubOptions): Promise<FaultyHub> {
  const { confirmations, depthMax, blockMs } = options
  const profile = resolveProfile()
  const statePath = mkdtempSync(path.join(tmpdir(), 'faulty-hub-'))
  const port = await probePort(0)
  const origin = `http://localhost:${port}`
  const [deployerKey, , arbiterKey] = anvilKeys as [Hex, Hex, Hex]
  const relayer = privateKeyToAddress(relayerKey)
  const operatorKey = generatePrivateKey()
  let proxy: FaultProxy | undefined
  const network = await startRelayerNetwork({
    statePath,
    port,
    anvilFlags: ['--auto-impersonate'],
    ...(options.front && { front: options.front }),
    roles: {
      reviewer: relayer,
      proposer: relayer,
      poster: relayer,
      arbiter: privateKeyToAddress(arbiterKey),
    },
    vars: {
      BASE_URL: origin,
      CLOCK: 'chain',
      CHAIN_CONFIRMATIONS: String(confirmations),
      CHAIN_FINALITY_BLOCKS: String(depthMax + 2),
      ARBITER_PRIVATE_KEY: arbiterKey,
      COORDINATOR_SEED: `0x${'c0'.repeat(32)}`,
      OPERATOR_ADDRESSES: privateKeyToAddress(operatorKey).toLowerCase(),
      AUTO_APPROVE_DEVELOPERS: 'true',
      AUTO_APPROVE_NODES: 'true',
      RATE_LIMIT_MULTIPLIER: '1000',
      ...options.vars,
    },
    async between(chain) {
      proxy = await startFaultProxy(chain.url)
      return () => (proxy as FaultProxy).url
    },
  })
  const faulty = await startFaultyChain(network, { blockMs, depthMax })
  const hub = createCaller(origin, profile, network.up, options.address)
  const chain = accessChain(network.chain)

  /** What needs the hub's process is done again after a crash. */
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    const endMs = performance.now() + 120_000
    for (;;)
      try {
        return await work()
      } catch (error) {
        if (performance.now() > endMs) throw error
        await network.up()
        await delay(200)
      }
  }
  const runSchedule = () => again(() => network.use(wake))
  await runSchedule()
  return {
    profile,
    port,
    origin,
    contracts: network.contracts,
    minter: privateKeyToAddress(deployerKey),
    operatorKey,
    chain,
    faulty,
    proxy: proxy as FaultProxy,
    hub,
    rows: <T extends object>(text: string, ...values: unknown[]) =>
      again(() => network.use((hub) => rowsOf(hub, text, ...values))) as unknown as Promise<T[]>,
    wake: runSchedule,
    async pass(seconds) {
      await faulty.pass(seconds)
      const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      await until('the hub has followed the time of the chain', async () => {
        hub.leap()
        return (await hub.time()) >= Number(timestamp)
      })
    },
    register: (seed, role, url) =>
      hub.expect(200, {
        method: 'POST',
        path: '/v1/nodes/register',
        seed,
        json: {
          hub: origin,
          network: profile.network,
          url,
          role,
          engine: 'native',
          nodectl_version: '1.0.0',
        },
      }),
    up: network.up,
    kill: () => network.crash(),
    async stop() {
      await faulty.stop()
      await network.stop()
      await proxy?.stop()
      rmSync(statePath, { recursive: true, force: true })
    },
  }
}
