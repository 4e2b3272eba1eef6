import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Anvil } from '../../contracts/anvil.ts'
import { type FaultProxy, seededRandom, startFaultProxy } from '../../testing/fault-proxy.ts'
import { type FaultyChain, startFaultyChain } from '../../testing/faulty-chain.ts'
import type { Registration } from '../../testing/registrations.ts'
import { type Relayer, type RelayerNetwork, startRelayerNetwork } from '../../testing/relayer-network.ts'

/** What became of one scenario of faults. */
export interface ScenarioResult {
  seed: number
  actions: number
  /** Actions that were accepted, each of them exactly once if the next three equal it. */
  accepted: number
  confirmed: number
  done: number
  /** Nonces that were used, of all keys, without those of {@link filled} gaps. */
  nonces: number
  /** Nonces that no action had, because a node had counted too many, and that were used up. */
  filled: number
  killed: boolean
  /** Whether the key was replaced in the middle. */
  rotated: boolean
}

export interface ChaosResult {
  scenarios: ScenarioResult[]
  kills: number
  /** Transactions left in the pool in the end that a block could still take. */
  waiting: number
  /** How often each fault happened. */
  faults: Map<string, number>
}

export const isExact = ({ actions, accepted, confirmed, done, nonces }: ScenarioResult): boolean =>
  [accepted, confirmed, done, nonces].every((count) => count === actions)

const actionsMax = 8
/** Blocks after which a transaction is final; reorganisations are up to twice as deep and two more. */
const confirmations = 2
const blockMs = 40
/** How long a node that shows no receipts goes on so after everything was posted: longer than the relayer takes it for granted. */
const blindMs = 700
/** Asking whether everything is done costs more than all the rest when it is done all the time. */
const pollMs = 100
/** What a registration pays after a jump of the base fee is several times this, and a fifth before. */
const txFeeCap = 2n * 10n ** 15n
/** Every other hub asks a node that takes no larger batches. */
const batchMax = 6
/** What is not done so long after the faults ended never will be. */
const endMs = 60_000

interface FaultyHub {
  hub: number
  proxy: FaultProxy
}

/**
 * Relays actions on a chain that fails, by one scenario for every seed: the seed fixes which fault meets the n-th request
 * to the chain, how often there is one, how many actions there are and which are posted twice. Every action is posted
 * until it is accepted, and the message about it comes once, twice or never. `atOnce` relayers in one workerd follow a
 * scenario each; in every `killEvery`-th turn that workerd is killed while their actions are on the way, and some hubs come
 * back with another key. In some turns the chain is reorganised, less or more deeply than what counts as final, and its
 * base fee jumps. Then the faults end, and everything has to be on the chain once.
 */
export async function runRelayChaos(options: {
  seeds: readonly number[]
  atOnce: number
  killEvery: number
}): Promise<ChaosResult> {
  const { seeds, atOnce, killEvery } = options
  const statePath = mkdtempSync(path.join(tmpdir(), 'relay-chaos-'))
  const faultyHubs: FaultyHub[] = []
  const network = await startRelayerNetwork({
    statePath,
    hubs: atOnce,
    vars: { CHAIN_TIMEOUT_MS: '300', CHAIN_CONFIRMATIONS: String(confirmations) },
    async between(chain) {
      for (let hub = 0; hub < atOnce; hub++) {
        const proxy = await startFaultProxy(chain.url)
        proxy.limits = { txFeeCap, ...(hub % 2 === 1 && { batch: batchMax }) }
        faultyHubs.push({ hub, proxy })
      }
      return (hub) => (faultyHubs[hub] as FaultyHub).proxy.url
    },
  })
  const chain = await startFaultyChain(network, { blockMs, depthMax: 2 * confirmations + 2 })
  try {
    const scenarios: ScenarioRun[] = []
    let kills = 0
    for (let turn = 0; turn * atOnce < seeds.length; turn++) {
      const killed = turn % killEvery === 0
      if (killed) kills += 1
      const here = seeds.slice(turn * atOnce, (turn + 1) * atOnce)
      scenarios.push(...(await runTurn({ network, faultyHubs, chain, seeds: here, killed })))
    }
    // The last turn may have dropped what hubs did that took no part in it.
    await Promise.all(network.relayers.map((_, hub) => settle(() => network.relayers[hub] as Relayer)))
    const projects = new Set<string>()
    const twice = new Set<string>()
    for (const id of await network.done()) (projects.has(id) ? twice : projects).add(id)
    return {
      scenarios: scenarios.map(({ requests, ...result }) => ({
        ...result,
        done: requests.filter(({ projectId: id }) => projects.has(id) && !twice.has(id)).length,
      })),
      kills,
      waiting: await waitingIn(network.chain),
      faults: sumOf([chain.faults, ...faultyHubs.map(({ proxy }) => proxy.faults)]),
    }
  } finally {
    await chain.stop()
    await network.stop()
    await Promise.all(faultyHubs.map(({ proxy }) => proxy.stop()))
    rmSync(statePath, { recursive: true, force: true })
  }
}

/**
 * Transactions with nonces that no block has used. A replacement that reached the node while the one it replaces was
 * being mined stays in the pool and can never leave it.
 */
export async function waitingIn(chain: Anvil): Promise<number> {
  type Senders = Record<string, Record<string, unknown>>
  const pool = await chain.rpc<{ pending: Senders; queued: Senders }>('txpool_content')
  const counts = [...Object.entries(pool.pending), ...Object.entries(pool.queued)].map(
    async ([sender, byNonce]) => {
      const used = Number(await chain.rpc('eth_getTransactionCount', sender, 'latest'))
      return Object.keys(byNonce).filter((nonce) => Number(nonce) >= used).length
    },
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

type ScenarioRun = Omit<ScenarioResult, 'done'> & { requests: Registration[] }

interface Turn {
  network: RelayerNetwork
  faultyHubs: readonly FaultyHub[]
  chain: FaultyChain
  seeds: readonly number[]
  killed: boolean
}

/** One scenario on each hub, to its end. */
async function runTurn({ network, faultyHubs, chain, seeds, killed }: Turn): Promise<ScenarioRun[]> {
  const random = seededRandom(-(seeds[0] as number))
  const rotating = killed ? faultyHubs.map(({ hub }) => hub).filter(() => random() < 0.3) : []
  const relayerOf = ({ hub }: FaultyHub) => network.relayers[hub] as Relayer
  // Before the first action is posted: from then on workerd may be killed, and what asks it has to try again.
  const before = await Promise.all(
    faultyHubs.map(async (faulty) => ({
      nonces: await relayerOf(faulty).mined(),
      filled: await filledBy(relayerOf(faulty)),
    })),
  )
  let taken = 0
  let open = true
  const posted = seeds.map(async (seed, index) => {
    const faulty = faultyHubs[index] as FaultyHub
    const relayer = () => relayerOf(faulty)
    const random = seededRandom(seed)
    const { nonces, filled } = before[index] as (typeof before)[number]
    const requests = Array.from({ length: 1 + Math.floor(random() * actionsMax) }, () => network.action())
    const rate = 0.1 + 0.3 * random()
    const lasting = {
      withoutReceipts: random() < 0.15,
      failingReceipts: random() < 0.15,
      countsTooMany: random() < 0.1,
    }
    faulty.proxy.follow(seed, rate, lasting)
    const accepted = await postAll(network, relayer, random, requests, () => {
      taken += 1
    })
    if (lasting.withoutReceipts) await delay(blindMs)
    return { seed, faulty, relayer, requests, accepted, nonces, filled }
  })
  const onTheWay = async () => {
    while (taken === 0 && open) await nextTurn()
  }
  const kill = async () => {
    await onTheWay()
    await network.crash(rotating)
    await Promise.all(network.relayers.map(({ wake }) => wake()))
  }
  const disturb = async (share: number) => {
    if (random() < share) await chain.jump()
    if (random() < share) await chain.reorganise(random())
  }
  const [followed] = await Promise.all([
    Promise.all(posted).finally(() => {
      open = false
    }),
    killed ? kill() : undefined,
    onTheWay().then(() => disturb(0.25)),
  ])
  await disturb(0.25)
  return Promise.all(
    followed.map(async ({ seed, faulty, relayer, requests, accepted, nonces, filled: filledBefore }) => {
      faulty.proxy.follow(seed, 0)
      await settle(relayer)
      const filled = (await filledBy(relayer())) - filledBefore
      const views = await Promise.all(requests.map(({ id }) => relayer().find(id)))
      return {
        seed,
        requests,
        actions: requests.length,
        accepted,
        confirmed: views.filter((view) => view?.status === 'confirmed').length,
        nonces: (await relayer().mined()) - nonces - filled,
        filled,
        killed,
        rotated: rotating.includes(faulty.hub),
      }
    }),
  )
}

const filledBy = async ({ objects }: Relayer): Promise<number> =>
  (await Promise.all(objects.map((object) => object.health()))).reduce((sum, { filled }) => sum + filled, 0)

/** Returns once nothing is open and every nonce that a key of the hub has given is in a block. */
async function settle(relayer: () => Relayer): Promise<void> {
  const untilMs = performance.now() + endMs
  for (;;) {
    const states = await Promise.all(relayer().objects.map((object) => object.health()))
    const open = states.reduce((sum, state) => sum + state.open, 0)
    const given = states.reduce((sum, { nextNonce }) => sum + nextNonce, 0)
    const mined = await relayer().mined()
    if (open === 0 && given === mined) return
    if (performance.now() > untilMs) throw new Error(`nothing moves: ${JSON.stringify({ mined, states })}`)
    // What the schedule does every five minutes: it finds out about reorganisations and lost alarms.
    await relayer().wake()
    await delay(pollMs)
  }
}

/** Every action until it is accepted, half of them by two callers at once. Answers how many were accepted. */
async function postAll(
  network: RelayerNetwork,
  relayer: () => Relayer,
  random: () => number,
  requests: readonly Registration[],
  onTaken: () => void,
): Promise<number> {
  const taken = new Set<string>()
  const post = async ([request, messages]: [Registration, number]) => {
    while (!taken.has(request.id)) {
      try {
        const result = await relayer().accept(request)
        // Nobody else does this action, so it can only be refused for having been done.
        if (result.status === 'refused') throw new Error(`done before it was accepted: ${result.reason}`)
        if (result.status === 'accepted') taken.add(request.id)
        onTaken()
        for (let message = 0; message < messages; message++) await relayer().submit([request.id])
      } catch (error) {
        if (!isUnreachable(error)) throw error
        await network.up()
      }
    }
  }
  const posts = requests.map((request): [Registration, number] => [request, Math.floor(random() * 3)])
  const twice = posts.filter(() => random() < 0.5)
  await Promise.all([...posts, ...twice].map(post))
  return taken.size
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** While workerd is down its sockets refuse, and what was in flight ends without an answer. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof Error && /reset|closed|overloaded|Network/i.test(error.message))

function sumOf(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const [name, count] of counts.flatMap((map) => [...map])) sum.set(name, (sum.get(name) ?? 0) + count)
  return sum
}
