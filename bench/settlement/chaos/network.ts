import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../../contracts/anvil.ts'
import type { ContractAddresses } from '../../../contracts/deploy.ts'
import { probePort } from '../../../localnet/port.ts'
import { relayerKey } from '../../../localnet/testing/deployed-chain.ts'
import { type FaultProxy, startFaultProxy } from '../../../localnet/testing/fault-proxy.ts'
import { type FaultyChain, startFaultyChain } from '../../../localnet/testing/faulty-chain.ts'
import { rowsOf, wake } from '../../../localnet/testing/indexer-network.ts'
import { startRelayerNetwork } from '../../../localnet/testing/relayer-network.ts'
import { type Profile, resolveProfile } from '../../../protocol/identity/index.ts'
import { type Fetch, fetchFromHub } from '../../../tools/client/connect.ts'
import { type Network, readNetwork } from '../../../tools/client/network.ts'
import { signIn, type Wallet } from '../../../tools/client/sign-in.ts'
import { type Caller, createCaller } from './calls.ts'
import { accessChain, type ChainAccess } from './contracts.ts'
import { Difference, delay, until } from './difference.ts'
import { validatorCount } from './plan.ts'
import { createNodeKey, type NodeKey, startValidators, type Validators } from './validators.ts'

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

/** What the hub wants on the chain and has not there yet. */
export interface OpenAction {
  kind: string
  subject: string
  attempts: number
  last_error: string | null
}

/** A hub in workerd that may be killed, a chain that may fail it, and the validators of the network. */
export interface ChaosNetwork {
  profile: Profile
  contracts: ContractAddresses
  /** Mints tokens. */
  minter: string
  chain: ChainAccess
  faulty: FaultyChain
  proxy: FaultProxy
  hub: Caller
  /** As the tools see it. */
  tools: Network
  operator: Wallet
  validators: Validators
  /** Were validators once. */
  former: NodeKey[]
  rows: <T extends object = Row>(text: string, ...values: unknown[]) => Promise<T[]>
  /** Lets time pass on the chain, which the hub follows. */
  pass: (seconds: number) => Promise<void>
  /** Runs the schedule of the hub, in which every try that was put off for less than two hours is due. */
  schedule: () => Promise<void>
  /** Returns once everything that the hub wants is on the chain for good, or waits for something else to happen. */
  settle: () => Promise<void>
  kill: () => Promise<void>
  stop: () => Promise<void>
}

const confirmations = 2
const depthMax = 2 * confirmations + 2
const blockMs = 500
const agedSecs = 7_200
/** Beginnings of the reasons for which an action waits: nobody has to do anything about it for now. */
const waits = [
  'An arbiter vetoed',
  'An arbiter has paused',
  'The challenge period runs',
  'The vault has ',
  'The vault is not opened',
]
const isWaiting = ({ last_error: reason }: OpenAction): boolean =>
  waits.some((wait) => reason?.startsWith(wait))
/** The same of rows: what waits is due when its event is indexed, or its time has come. */
const isPutOff = `state = 'open' AND NOT (${waits.map((wait) => `coalesce(last_error, '') LIKE '${wait}%'`).join(' OR ')})`

/** A busy machine may keep the chain from answering in time, which nobody takes for a refusal. */
const patiently: Fetch = async (request) => {
  for (let tries = 0; ; tries++) {
    const response = await fetchFromHub(request.clone())
    if (response.status !== 503 || tries === 20) return response
    await delay(500)
  }
}

export async function startChaosNetwork(): Promise<ChaosNetwork> {
  const profile = resolveProfile()
  const statePath = mkdtempSync(path.join(tmpdir(), 'settlement-chaos-'))
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
      CHAIN_TIMEOUT_MS: '2500',
      CHAIN_CONFIRMATIONS: String(confirmations),
      CHAIN_FINALITY_BLOCKS: String(depthMax + 2),
      CHAIN_POLL_MS: '2000',
      RELAYER_STUCK_MS: '1000',
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
  const validators = await startValidators(profile, validatorCount)
  const faulty = await startFaultyChain(network, { blockMs, depthMax })
  const hub = createCaller(origin, profile, network.up)
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
  const rows = <T extends object>(text: string, ...values: unknown[]) =>
    again(() => network.use((hub) => rowsOf(hub, text, ...values))) as unknown as Promise<T[]>
  const head = async () => Number(await chain.rpc('eth_blockNumber'))
  const indexed = async () =>
    Number((await rows<{ n: number }>('SELECT block_number AS n FROM chain_cursor'))[0]?.n)
  const schedule = async () => {
    await rows(`UPDATE hub_actions SET next_attempt_at = next_attempt_at - ? WHERE ${isPutOff}`, agedSecs)
    await again(() => network.use(wake))
  }
  const openActions = () =>
    rows<OpenAction>("SELECT kind, subject, attempts, last_error FROM hub_actions WHERE state = 'open'")
  const isSettled = async () => {
    const reached = await head()
    await until('the index has the newest block', async () => (await indexed()) >= reached)
    await schedule()
    const [due] = await rows<{ n: number }>(
      `SELECT count(*) AS n FROM hub_actions
      WHERE state = 'open' AND next_attempt_at <= unixepoch() + (SELECT lead_secs FROM chain_cursor)`,
    )
    if (due?.n !== 0) return `${due?.n} actions are due`
    const [sent] = await rows<{ n: number }>(
      "SELECT count(*) AS n FROM transactions WHERE status IN ('queued', 'sent')",
    )
    const open = await openActions()
    return sent?.n === 0 && open.every(isWaiting)
  }

  await again(() => network.use(wake))
  const tools = await readNetwork(origin, patiently)
  const operator = await signIn(tools, operatorKey)
  const former = [createNodeKey(profile), createNodeKey(profile)]
  for (const { seed, ...node } of [...validators.nodes, ...former]) {
    const url = 'url' in node ? node.url : 'http://127.0.0.1:9'
    const registration = { hub: origin, network: profile.network, url, role: 'validator' }
    await hub.expect(200, {
      method: 'POST',
      path: '/v1/nodes/register',
      seed,
      json: { ...registration, engine: 'native', nodectl_version: '1.0.0' },
    })
  }
  for (const { nodeId } of former)
    await hub.expect(200, {
      method: 'POST',
      path: `/admin/v1/nodes/${nodeId}/revoke`,
      token: operator.token,
      json: {},
    })

  return {
    profile,
    contracts: network.contracts,
    minter: privateKeyToAddress(deployerKey),
    chain,
    faulty,
    proxy: proxy as FaultProxy,
    hub,
    tools,
    operator,
    validators,
    former,
    rows,
    async pass(seconds) {
      await faulty.pass(seconds)
      const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      await until('the hub has followed the time of the chain', async () => {
        hub.leap()
        return (await hub.time()) >= Number(timestamp)
      })
    },
    schedule,
    async settle() {
      try {
        await until('everything is settled', isSettled)
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        const open = (await openActions()).filter((one) => !isWaiting(one))
        const sent = await rows("SELECT * FROM transactions WHERE status IN ('queued', 'sent') LIMIT 5")
        throw new Difference(`${error.message}: ${JSON.stringify({ open: open.slice(0, 10), sent })}`)
      }
    },
    kill: () => network.crash(),
    async stop() {
      await faulty.stop()
      await network.stop()
      await proxy?.stop()
      await validators.stop()
      rmSync(statePath, { recursive: true, force: true })
    },
  }
}
