import type { FaultProxy } from '../../testing/fault-proxy.ts'
import type { Registration } from '../../testing/registrations.ts'
import type { Relayer, RelayerNetwork } from '../../testing/relayer-network.ts'
import { Difference } from '../harness/difference.ts'
import { delay } from '../harness/time.ts'

const actionsMax = 8
/** How long a node that shows no receipts goes on so after everything was posted: longer than the relayer takes it for granted. */
const blindMs = 700
/** Asking whether everything is done costs more than all the rest when it is done all the time. */
const pollMs = 100
/** Actions that are not done this long after the faults ended never will be. */
const endMs = 240_000

/**
 * Posts the actions of a seed until all are accepted, while its faults meet the requests to the chain.
 *
 * @returns The actions, and how many of them were accepted.
 */
export async function postScenario(
  { network, relayer, proxy }: { network: RelayerNetwork; relayer: () => Relayer; proxy: FaultProxy },
  seed: number,
  random: () => number,
  onTaken: () => void,
) {
  const requests = Array.from({ length: 1 + Math.floor(random() * actionsMax) }, () => network.action())
  const rate = 0.1 + 0.3 * random()
  const lasting = {
    withoutReceipts: random() < 0.15,
    failingReceipts: random() < 0.15,
    countsTooMany: random() < 0.1,
  }
  proxy.follow(seed, rate, lasting)
  const accepted = await postAll(network, relayer, random, requests, onTaken)
  if (lasting.withoutReceipts) await delay(blindMs)
  return { requests, accepted }
}

/** Every action until it is accepted, half of them by two callers at once. @returns How many were accepted. */
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

/** While workerd is down, its sockets refuse connections, and requests in flight end without an answer. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof Error && /reset|closed|overloaded|Network/i.test(error.message))

/** Returns once nothing is open and every nonce that a key of the hub has given is in a block. */
export async function settle(relayer: () => Relayer): Promise<void> {
  const untilMs = performance.now() + endMs
  for (;;) {
    const states = await Promise.all(relayer().objects.map((object) => object.health()))
    const open = states.reduce((sum, state) => sum + state.open, 0)
    const given = states.reduce((sum, { nextNonce }) => sum + nextNonce, 0)
    const mined = await relayer().mined()
    if (open === 0 && given === mined) return
    if (performance.now() > untilMs)
      throw new Difference(`nothing moves: ${JSON.stringify({ mined, states })}`)
    // The schedule does this every five minutes: it finds out about reorganisations and lost alarms.
    await relayer().wake()
    await delay(pollMs)
  }
}
