import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { PlatformOptions } from '../../localnet/platform.ts'
import { pickPort } from '../../localnet/port.ts'
import { anvilKeys, resolveProfile } from '../../protocol/identity/index.ts'
import { readNetwork } from '../../scripts/hub/network.ts'
import { beginValidators } from '../../scripts/hub/validators.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { relayerKey } from '../../testing/deployed-chain.ts'
import { type FaultProxy, startFaultProxy } from '../../testing/fault-proxy.ts'
import { rowsOf, wake } from '../../testing/indexer-network.ts'
import { type NetworkOptions, startRelayerNetwork } from '../../testing/relayer-network.ts'
import { expectSame } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { patientFetch } from './ask-again.ts'
import { createCaller } from './caller.ts'
import { accessChain } from './contracts.ts'
import { startFaultyChain } from './faulty-chain.ts'
import type { Validator } from './validator-server.ts'

/** Nothing was given up, and nobody has to look at anything. */
export async function requireNoLetters({ rows }: Pick<FaultyHub, 'rows'>): Promise<void> {
  const letters = await rows('SELECT * FROM dead_letters WHERE resolved_at IS NULL LIMIT 3')
  expectSame('dead letters', letters, [])
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

export type FaultyHub = Awaited<ReturnType<typeof startFaultyHub>>

export interface FaultyHubOptions {
  /** Blocks on top of one before the hub acts on it. */
  readonly confirmations: number
  /** Most blocks that a reorganisation replaces. */
  readonly depthMax: number
  readonly blockMs: number
  /** Variables of the hub, besides those that every such hub has. */
  readonly vars: Record<string, string>
  /** Puts something in front of the hub. */
  readonly front?: NetworkOptions['front']
  readonly platform?: PlatformOptions
  readonly inspectorPort?: number
  /** Client address of the next request. Default: a new one for each request. */
  readonly address?: () => string
  /**
   * By how many seconds the chain begins behind the machine. The hub takes its time from the machine then, as a deployment does, and not from
   * the chain, which has to be moved to the present.
   */
  readonly behindSecs?: number
}

/** Starts a hub in workerd that may be killed, and a chain that may fail it. */
export async function startFaultyHub(options: FaultyHubOptions) {
  const { confirmations, depthMax, blockMs, behindSecs } = options
  const profile = resolveProfile()
  const statePath = mkdtempSync(path.join(tmpdir(), 'faulty-hub-'))
  const port = await pickPort()
  const origin = `http://localhost:${port}`
  const [deployerKey, , arbiterKey] = anvilKeys as [Hex, Hex, Hex]
  const relayer = privateKeyToAddress(relayerKey)
  const operatorKey = generatePrivateKey()
  let proxy: FaultProxy | undefined
  const network = await startRelayerNetwork({
    statePath,
    port,
    anvilFlags: [
      '--auto-impersonate',
      ...(behindSecs === undefined
        ? []
        : ['--timestamp', String(Math.floor(Date.now() / 1000) - behindSecs)]),
    ],
    ...(options.front && { front: options.front }),
    ...(options.platform && { platform: options.platform }),
    ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
    roles: {
      ...{ reviewer: relayer, proposer: relayer, poster: relayer },
      arbiter: privateKeyToAddress(arbiterKey),
    },
    vars: {
      BASE_URL: origin,
      CLOCK: behindSecs === undefined ? 'chain' : 'system',
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
  const hub = createCaller(origin, profile, network.up, options.address, behindSecs !== undefined)
  const chain = accessChain(network.chain)

  /** Works with the hub's process, again after a crash. */
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
  const register = (seed: string, role: 'miner' | 'validator', url: string) =>
    hub.expect(200, {
      method: 'POST',
      path: '/v1/nodes/register',
      seed,
      json: { hub: origin, network: profile.network, url, role, engine: 'native', nodectl_version: '1.0.0' },
    })
  await runSchedule()
  const tools = await readNetwork(origin, patientFetch)
  const operator = await signIn(tools, operatorKey)
  return {
    profile,
    port,
    origin,
    contracts: network.contracts,
    minter: privateKeyToAddress(deployerKey),
    tools,
    operator,
    chain,
    faulty,
    proxy: proxy as FaultProxy,
    hub,
    rows: <T extends object = Row>(text: string, ...values: unknown[]) =>
      again(() => network.use((hub) => rowsOf(hub, text, ...values))) as unknown as Promise<T[]>,
    /** Stores the record of a round. */
    putRecord: (record: { round_id: string }) =>
      again(() =>
        network.use(async ({ miniflare }) => {
          const bucket = await miniflare.getR2Bucket('ROUNDS', 'hub')
          await bucket.put(`rounds/${record.round_id}`, JSON.stringify(record))
        }),
      ),
    wake: runSchedule,
    /** The URL of V8's inspector; the options name its port. */
    inspector: () => network.use(({ miniflare }) => miniflare.getInspectorURL()),
    /** Lets time pass on the chain, which the hub follows. */
    async pass(seconds: number) {
      await faulty.pass(seconds)
      const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      await until('the hub has followed the time of the chain', async () => {
        hub.leap()
        return (await hub.time()) >= Number(timestamp)
      })
    },
    register,
    /** Registers validators, which become the first generation. */
    async beginWith(validators: readonly Validator[]) {
      for (const { seed, url } of validators) await register(seed, 'validator', url)
      const nodeIds = validators.map(({ nodeId }) => nodeId)
      await beginValidators(operator.client, nodeIds)
    },
    /** Returns once no crash is under way. */
    up: network.up,
    /** Ends workerd as a power cut would, and starts it over what it had stored. */
    kill: () => network.crash(),
    async stop() {
      await faulty.stop()
      await network.stop()
      await proxy?.stop()
      rmSync(statePath, { recursive: true, force: true })
    },
  }
}
