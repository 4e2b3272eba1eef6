import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../contracts/anvil.ts'
import { probePort } from '../../localnet/port.ts'
import { relayerKey } from '../../localnet/testing/deployed-chain.ts'
import { type FaultProxy, startFaultProxy } from '../../localnet/testing/fault-proxy.ts'
import { type FaultyChain, startFaultyChain } from '../../localnet/testing/faulty-chain.ts'
import { rowsOf, wake } from '../../localnet/testing/indexer-network.ts'
import { startRelayerNetwork } from '../../localnet/testing/relayer-network.ts'
import { freshAddress } from '../../localnet/testing/session.ts'
import { ownWorkerds } from '../../localnet/testing/workerd.ts'
import { type Profile, resolveProfile } from '../../protocol/identity/index.ts'
import { fetchFromHub } from '../../tools/client/connect.ts'
import { readNetwork } from '../../tools/client/network.ts'
import { signIn } from '../../tools/client/sign-in.ts'
import { type Caller, createCaller } from '../settlement/chaos/calls.ts'
import { accessChain } from '../settlement/chaos/contracts.ts'
import { delay, until } from '../settlement/chaos/difference.ts'
import {
  createProjects,
  grantWei,
  type Miner,
  type Project,
  type ProjectsOptions,
  vaultCall,
} from '../settlement/chaos/project.ts'
import type { Conduct } from './simulator/conduct.ts'
import { FaultCounts } from './simulator/fault-counts.ts'
import { SimulatedMiner } from './simulator/miner.ts'
import { type SimulatedValidators, startValidators, type ValidatorsOptions } from './simulator/validators.ts'
import { startWire, type Wire } from './simulator/wire.ts'

/** A hub in workerd, a chain, validators and miners of which every one may fail. */
export interface RoundsNetwork {
  readonly origin: string
  readonly profile: Profile
  readonly hub: Caller
  readonly faulty: FaultyChain
  readonly proxy: FaultProxy
  readonly projects: readonly Project[]
  readonly miners: readonly SimulatedMiner[]
  readonly validators: SimulatedValidators
  /** How often each fault of miners, validators and hub happened. */
  readonly faults: FaultCounts
  /** Rows of the hub's database. */
  readonly rows: <T extends object>(text: string, ...values: unknown[]) => Promise<T[]>
  /** Runs the schedule of the hub. */
  readonly wake: () => Promise<void>
  /** Process ids of workerd; others after a kill. */
  readonly workerds: () => number[]
  /** Returns once the hub runs, after a kill. */
  readonly up: () => Promise<unknown>
  /** Ends workerd as a power cut would, and starts it over what it had stored. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface RoundsOptions {
  readonly projects: number
  /** Offers that a device works on at once. */
  readonly slots: number
  /** Milliseconds that a run takes. */
  readonly runMs: number
  readonly onProgress: (text: string) => void
  /** How the projects are made. */
  readonly make?: ProjectsOptions
  /** What a member does about a task; honest when left out. */
  readonly conductOf?: (input: string, position: number) => Conduct
  /** What a validator does about a task; honest when left out. */
  readonly modeOf?: ValidatorsOptions['modeOf']
}

const hour = 3_600
const confirmations = 1
const depthMax = 3
/** A block takes a second of the chain's time at least, and the time of the network should not run ahead of ours. */
const blockMs = 1_000
const validatorCount = 4
/** Places that requests come from, each with a budget of its own. */
const callers = 20

export async function startRoundsNetwork(options: RoundsOptions): Promise<RoundsNetwork> {
  const { onProgress } = options
  const profile = resolveProfile()
  const statePath = mkdtempSync(path.join(tmpdir(), 'rounds-'))
  const port = await probePort(0)
  const origin = `http://localhost:${port}`
  const [deployerKey, , arbiterKey] = anvilKeys as [`0x${string}`, `0x${string}`, `0x${string}`]
  const relayer = privateKeyToAddress(relayerKey)
  const operatorKey = generatePrivateKey()
  let proxy: FaultProxy | undefined
  const network = await startRelayerNetwork({
    statePath,
    port,
    anvilFlags: ['--auto-impersonate'],
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
      CHAIN_POLL_MS: '500',
      ARBITER_PRIVATE_KEY: arbiterKey,
      COORDINATOR_SEED: `0x${'c0'.repeat(32)}`,
      OPERATOR_ADDRESSES: privateKeyToAddress(operatorKey).toLowerCase(),
      AUTO_APPROVE_DEVELOPERS: 'true',
      AUTO_APPROVE_NODES: 'true',
      RATE_LIMIT_MULTIPLIER: '1000',
    },
    async between(chain) {
      proxy = await startFaultProxy(chain.url)
      return () => (proxy as FaultProxy).url
    },
  })
  const projects: Project[] = []
  const rulesOf = (projectId: string) => {
    const project = projects.find((one) => one.projectId === projectId)
    if (project === undefined) throw new Error(`the project ${projectId} is unknown`)
    return project.consensus.work.committee
  }
  const faults = new FaultCounts()
  const { conductOf = () => 'honest', modeOf = () => 'honest' } = options
  const validators = await startValidators(profile, { count: validatorCount, rulesOf, modeOf, faults })
  const faulty = await startFaultyChain(network, { blockMs, depthMax })
  const addresses = Array.from({ length: callers }, freshAddress)
  let calls = 0
  const hub = createCaller(origin, profile, network.up, () => addresses[calls++ % callers]!)
  const chain = accessChain(network.chain)
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
  const rows = <T extends object>(text: string, ...values: unknown[]) =>
    again(() => network.use((hub) => rowsOf(hub, text, ...values))) as unknown as Promise<T[]>
  const schedule = () => again(() => network.use(wake))
  const pass = async (seconds: number) => {
    await faulty.pass(seconds)
    const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    await until('the hub has followed the time of the chain', async () => {
      hub.leap()
      return (await hub.time()) >= Number(timestamp)
    })
  }

  await schedule()
  const tools = await readNetwork(origin, fetchFromHub)
  const operator = await signIn(tools, operatorKey)
  const minter = privateKeyToAddress(deployerKey)
  const register = (seed: string, role: 'miner' | 'validator', url: string) =>
    hub.expect(200, {
      method: 'POST',
      path: '/v1/nodes/register',
      seed,
      json: { hub: origin, network: profile.network, url, role, engine: 'native', nodectl_version: '1.0.0' },
    })
  for (const { seed, url } of validators.nodes) await register(seed, 'validator', url)
  const makers = { profile, contracts: network.contracts, minter, chain, hub, tools, operator }
  projects.push(...(await createProjects(makers, options.projects, options.make)))
  for (const { developer, vault } of projects)
    await chain.send(developer.address, [vaultCall(vault, 'fund', grantWei / 2n)])
  onProgress(`${projects.length} projects are made`)

  const owners = [...minersOf(projects).values()]
  for (const { device } of owners) await register(device.seed, 'miner', 'http://127.0.0.1:7070')
  const wires = await Promise.all(owners.map(() => startWire(port)))
  const miners = owners.map(
    ({ wallet, device }, index) =>
      new SimulatedMiner({
        wire: wires[index] as Wire,
        profile,
        seed: device.seed,
        publicKey: device.publicKey,
        payoutOf: () => wallet.address,
        slots: options.slots,
        conductOf,
        now: hub.time,
        runMs: options.runMs,
        address: freshAddress(),
        faults,
      }),
  )
  // The beacon of the second epoch from now on is after every bond.
  await pass(2 * hour)
  await schedule()
  await Promise.all(miners.map((miner) => miner.start()))
  const epoch = Math.floor((await hub.time()) / hour)
  for (const { projectId } of projects)
    await until(`the set of ${projectId} is attested`, async () => {
      const { status } = await hub.call({ path: `/v1/committees/${projectId}/${epoch}` })
      return status === 200 || `${status}`
    })
  onProgress(`${miners.length} miners are connected, and the sets of epoch ${epoch} are attested`)

  return {
    origin,
    profile,
    hub,
    faulty,
    proxy: proxy as FaultProxy,
    projects,
    miners,
    validators,
    faults,
    rows,
    wake: schedule,
    workerds: ownWorkerds,
    up: network.up,
    async kill() {
      faults.note('hub_killed')
      await network.crash()
    },
    async stop() {
      await Promise.all(miners.map((miner) => miner.stop()))
      await Promise.all(wires.map((wire) => wire.stop()))
      await faulty.stop()
      await network.stop()
      await proxy?.stop()
      await validators.stop()
      rmSync(statePath, { recursive: true, force: true })
    },
  }
}

/** Everybody who works for one of the projects, once. */
const minersOf = (projects: readonly Project[]): Map<string, Miner> =>
  new Map(projects.flatMap(({ members }) => members.map((member) => [member.device.publicKey, member])))
