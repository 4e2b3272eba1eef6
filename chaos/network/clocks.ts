import { delay } from '../harness/time.ts'
import type { NodeNetwork } from './node-network.ts'

/** Nodes leave smaller differences as they are. */
const differenceSecsMax = 3

/** Nodes ask the hub for its time every few seconds, and are refused what they sign until they have its time. */
export async function waitForClocks(
  network: Pick<NodeNetwork, 'validators' | 'miners' | 'network'>,
): Promise<void> {
  const nodes = [...network.validators, ...network.miners]
    .map(({ node }) => node)
    .filter(({ pid }) => pid !== null)
  for (let tries = 0; tries < 60; tries++) {
    // As of now: blocks may have come since anybody looked.
    const lead = (await network.network.now()) - Math.floor(Date.now() / 1000)
    const behind = await Promise.all(
      nodes.map(async (node) => {
        try {
          return Math.abs((await node.status()).hub.clock_offset_secs - lead) > differenceSecsMax
        } catch {
          // It is ending, or has just begun.
          return false
        }
      }),
    )
    if (!behind.includes(true)) return
    await delay(250)
  }
}
