import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FaultProxy, seededRandom, startFaultProxy } from './fault-proxy.ts'
import { probeCount } from './probe.ts'
import { action, probeAddress, startRelayerNetwork } from './relayer-network.ts'

export interface ChaosResult {
  /** Actions that were taken, each of them exactly once if all of the following equal it. */
  accepted: number
  confirmed: number
  done: number
  nonces: number
  waiting: number
  faults: Record<string, number>
}

/**
 * Relays actions through a chain that fails at random and a hub that is killed in between, each action posted until it
 * is taken, half of them twice. Then the faults end, and everything has to be on the chain once.
 */
export async function runRelayChaos(options: {
  seed: number
  actions: number
  crashes: number
  faultRate: number
}): Promise<ChaosResult> {
  const { seed, actions, crashes, faultRate } = options
  const random = seededRandom(seed)
  const statePath = mkdtempSync(path.join(tmpdir(), 'relay-chaos-'))
  const proxies: FaultProxy[] = []
  const network = await startRelayerNetwork({
    statePath,
    vars: { CHAIN_TIMEOUT_MS: '300' },
    async between(chain) {
      const started = await startFaultProxy(chain.url, seed)
      proxies.push(started)
      return started.url
    },
  })
  const proxy = proxies[0] as FaultProxy
  try {
    proxy.rate = faultRate
    const requests = Array.from({ length: actions }, () => action())
    const taken = new Set<string>()
    const post = async (request: (typeof requests)[number]) => {
      while (!taken.has(request.id)) {
        try {
          const result = await network.relayer.relay(request)
          if (result.status === 'accepted') taken.add(request.id)
          // Nobody else does this action, so it can only be refused for having been done.
          if (result.status === 'refused') throw new Error(`done before it was taken: ${result.reason}`)
        } catch (error) {
          if (!isUnreachable(error)) throw error
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    }
    const crashPoints = Array.from({ length: crashes }, () => Math.floor(random() * actions))
    const crash = async (point: number) => {
      while (taken.size < point) await new Promise((resolve) => setImmediate(resolve))
      await network.crash()
      await network.relayer.wake()
    }
    await Promise.all([
      ...requests.map(post),
      ...requests.filter(() => random() < 0.5).map(post),
      (async () => {
        for (const point of crashPoints.sort((a, b) => a - b)) await crash(point)
      })(),
    ])
    proxy.rate = 0
    await untilQuiet(() => network.relayer.health())
    const views = await Promise.all(requests.map(({ id }) => network.relayer.find(id)))
    const pool = await network.chain.rpc<{ pending: string; queued: string }>('txpool_status')
    return {
      accepted: taken.size,
      confirmed: views.filter((view) => view?.status === 'confirmed').length,
      done: await probeCount(network.chain, probeAddress),
      nonces: Number(await network.chain.rpc('eth_getTransactionCount', network.signer, 'latest')),
      waiting: Number(pool.pending) + Number(pool.queued),
      faults: Object.fromEntries([...proxy.faults].sort()),
    }
  } finally {
    await network.stop()
    await proxy.stop()
    rmSync(statePath, { recursive: true, force: true })
  }
}

/** While workerd is down its sockets refuse, and what was in flight ends without an answer. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof Error && /reset|closed|overloaded|Network/i.test(error.message))

async function untilQuiet(health: () => Promise<{ open: number }>): Promise<void> {
  while ((await health()).open > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}
