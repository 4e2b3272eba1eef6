import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FaultProxy, seededRandom } from '../../testing/fault-proxy.ts'
import type { Relayer, RelayerNetwork } from '../../testing/relayer-network.ts'
import type { FaultyChain } from '../network/faulty-chain.ts'
import { postScenario, settle } from './scenario.ts'

/** A hub's relayer, and the proxy between it and the chain. */
export interface FaultyRelayer {
  readonly hub: number
  readonly proxy: FaultProxy
  /** Another one after a kill. */
  readonly relayer: () => Relayer
}

export type ScenarioRun = Awaited<ReturnType<typeof runTurn>>[number]

/**
 * One scenario on each hub, to its end. The seed fixes which fault meets the n-th request to the chain, how often there is
 * one, how many actions there are and which are posted twice; the message about an action comes once, twice or never. In a
 * turn that is `killed`, workerd is killed while actions are on their way, and some hubs come back with another key. In
 * some turns the chain is reorganised, less or more deeply than what counts as final, and its base fee jumps. Then the
 * faults end.
 */
export async function runTurn(
  network: RelayerNetwork,
  relayers: readonly FaultyRelayer[],
  chain: FaultyChain,
  seeds: readonly number[],
  killed: boolean,
) {
  const random = seededRandom(-(seeds[0] as number))
  const rotating = killed ? relayers.map(({ hub }) => hub).filter(() => random() < 0.3) : []
  // Before the first action is posted: from then on workerd may be killed, and what asks it has to try again.
  const before = await Promise.all(
    relayers.map(async ({ relayer }) => {
      return { nonces: await relayer().mined(), filled: await filledBy(relayer()) }
    }),
  )
  let taken = 0
  let open = true
  const posted = seeds.map(async (seed, index) => {
    const faulty = relayers[index] as FaultyRelayer
    const posts = await postScenario({ network, ...faulty }, seed, seededRandom(seed), () => {
      taken += 1
    })
    return { seed, faulty, ...posts, ...(before[index] as (typeof before)[number]) }
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
    followed.map(async ({ seed, faulty, requests, accepted, nonces, filled: filledBefore }) => {
      const { relayer, proxy, hub } = faulty
      proxy.follow(seed, 0)
      await settle(relayer)
      const filled = (await filledBy(relayer())) - filledBefore
      const views = await Promise.all(requests.map(({ id }) => relayer().find(id)))
      return {
        seed,
        requests,
        actions: requests.length,
        accepted,
        /** Actions that are final in the ledger. */
        confirmed: views.filter((view) => view?.status === 'confirmed').length,
        /** Nonces that were used, of all keys, without those of filled gaps. */
        nonces: (await relayer().mined()) - nonces - filled,
        /** Nonces that no action had, because a node had counted too many, and that were used up. */
        filled,
        killed,
        /** Whether the key was replaced in the middle. */
        rotated: rotating.includes(hub),
      }
    }),
  )
}

const filledBy = async ({ objects }: Relayer): Promise<number> =>
  (await Promise.all(objects.map((object) => object.health()))).reduce((sum, { filled }) => sum + filled, 0)
