import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FaultProxy, startFaultProxy } from '../../testing/fault-proxy.ts'
import { type Relayer, startRelayerNetwork } from '../../testing/relayer-network.ts'
import { waitingIn } from '../../testing/transaction-pool.ts'
import { Difference } from '../harness/difference.ts'
import { addFigures, type Figures, sumFaults } from '../harness/figures.ts'
import type { ScenarioKind, ScenarioNetwork } from '../harness/kind.ts'
import { countEach } from '../network/explorer.ts'
import { startFaultyChain } from '../network/faulty-chain.ts'
import { settle } from './scenario.ts'
import { type FaultyRelayer, runTurn, type ScenarioRun } from './turn.ts'

/** Blocks after which a transaction is final; reorganisations are up to twice as deep and two more. */
const confirmations = 2
const blockMs = 40
/** A registration costs several times this after a jump of the base fee, and a fifth of it before. */
const txFeeCap = 2n * 10n ** 15n
/** Every other hub asks a node that takes no larger batches. */
const batchMax = 6

/**
 * Relays signed actions on a chain that fails, with a hub that is killed and keys that are replaced.
 *
 * @param atOnce Relayers in one workerd, which follow a scenario each.
 * @param killEvery workerd is killed in the first of every `killEvery` turns.
 */
export const relayKind = (atOnce: number, killEvery: number): ScenarioKind => ({
  atOnce,
  perNetwork: 400,
  networksAtOnce: 1,
  start: ({ say }) => startRelays(atOnce, killEvery, say),
})

/** Eight hubs take seconds to start again, and a kill meets all scenarios that are on their way. */
export const relay = relayKind(8, 24)

async function startRelays(
  atOnce: number,
  killEvery: number,
  say: (text: string) => void,
): Promise<ScenarioNetwork> {
  const statePath = mkdtempSync(path.join(tmpdir(), 'relay-chaos-'))
  const proxies: FaultProxy[] = []
  const network = await startRelayerNetwork({
    statePath,
    hubs: atOnce,
    vars: { CHAIN_TIMEOUT_MS: '300', CHAIN_CONFIRMATIONS: String(confirmations) },
    async between(chain) {
      for (let hub = 0; hub < atOnce; hub++) {
        const proxy = await startFaultProxy(chain.url)
        proxy.limits = { txFeeCap, ...(hub % 2 === 1 && { batch: batchMax }) }
        proxies.push(proxy)
      }
      return (hub) => (proxies[hub] as FaultProxy).url
    },
  })
  const chain = await startFaultyChain(network, { blockMs, depthMax: 2 * confirmations + 2 })
  const relayers = proxies.map((proxy, hub): FaultyRelayer => {
    return { hub, proxy, relayer: () => network.relayers[hub] as Relayer }
  })
  const runs: ScenarioRun[] = []
  let kills = 0
  const figures = (): Figures =>
    [
      ...runs.map(figuresOf),
      { kills, faults: sumFaults(chain.faults, ...proxies.map(({ faults }) => faults)) },
    ].reduce(addFigures, {})
  return {
    async runTurn(seeds, turn) {
      const killed = turn % killEvery === 0
      if (killed) kills += 1
      const here = await runTurn(network, relayers, chain, seeds, killed)
      runs.push(...here)
      for (const one of here) requireExact(one)
      return figures()
    },
    async finish() {
      // The last turn may have dropped the blocks of hubs that took no part in it.
      await Promise.all(relayers.map(({ relayer }) => settle(relayer)))
      requireDoneOnce(runs, await network.done())
      const waiting = await waitingIn(network.chain)
      if (waiting > 0) throw new Difference(`${waiting} transactions are left in the pool`)
      say(`${runs.length} scenarios are exact`)
      return figures()
    },
    async stop() {
      await chain.stop()
      await network.stop()
      await Promise.all(proxies.map((proxy) => proxy.stop()))
      rmSync(statePath, { recursive: true, force: true })
    },
  }
}

const figuresOf = ({ killed, rotated, actions, nonces, filled }: ScenarioRun): Figures => ({
  killed: Number(killed),
  rotated: Number(rotated),
  actions,
  nonces,
  filled,
})

/** Every action was accepted, is final in the ledger, and used one nonce. */
function requireExact({ requests, ...run }: ScenarioRun): void {
  const { actions, accepted, confirmed, nonces } = run
  if ([accepted, confirmed, nonces].some((count) => count !== actions))
    throw new Difference(`seed ${run.seed} is not exact: ${JSON.stringify(run)}`)
}

/** @param done - The projects on the chain, once for each registration. */
function requireDoneOnce(runs: readonly ScenarioRun[], done: readonly string[]): void {
  const times = countEach(done)
  for (const { seed, requests } of runs)
    for (const { projectId } of requests)
      if (times[projectId] !== 1)
        throw new Difference(`seed ${seed}: ${projectId} is registered ${times[projectId] ?? 0} times`)
}
