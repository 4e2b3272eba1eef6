import { delay } from '../harness/time.ts'
import { endNode } from '../network/end-node.ts'
import type { Miner, NodeNetwork } from '../network/node-network.ts'
import { present, type WeekState } from './members.ts'
import type { Restart } from './plan.ts'

export async function restart({ network, restarts, report }: WeekState, plan: Restart): Promise<void> {
  await delay(plan.afterMs)
  const name = `${plan.who} ${plan.signal}`
  restarts[name] = (restarts[name] ?? 0) + 1
  if (plan.who === 'hub') {
    report.say(`${plan.signal} to the hub`)
    await network.hub.end(plan.signal)
    await delay(plan.downMs)
    return network.hub.start()
  }
  const running = present(plan.who === 'validator' ? network.validators : network.miners)
  const chosen = running[Math.floor(plan.which * running.length)]
  if (chosen === undefined) return
  const { node } = chosen
  report.say(`${plan.signal} to ${node.name}`)
  const down = { from: network.time() - 2, to: null as number | null }
  if (plan.who === 'miner') (chosen as Miner).downs.push(down)
  await endNode(node, plan.signal, report.problem)
  await delay(plan.downMs)
  await node.start()
  await node.waitUntilKnown()
  down.to = network.time() + 2
}

/** Nodes ask the hub for its time every few seconds, and are refused what they sign until they have its time. */
export async function waitForClocks(week: NodeNetwork): Promise<void> {
  const nodes = [...week.validators, ...week.miners].map(({ node }) => node).filter(({ pid }) => pid !== null)
  const lead = week.time() - Math.floor(Date.now() / 1000)
  for (let tries = 0; tries < 60; tries++) {
    const behind = await Promise.all(
      nodes.map(async (node) => {
        try {
          return Math.abs((await node.status()).hub.clock_offset_secs - lead) > 60
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
