import { delay } from '../harness/time.ts'
import { endNode } from '../network/end-node.ts'
import type { Miner } from '../network/node-network.ts'
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
