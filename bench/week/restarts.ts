import { setTimeout as pause } from 'node:timers/promises'
import type { Miner, WeekNetwork } from './network.ts'
import type { Restart } from './plan.ts'

export interface RestartContext {
  readonly say: (text: string) => void
  readonly problem: (text: string) => void
  /** How often each happened, by role and signal. */
  readonly counts: Record<string, number>
}

/** Ends one process, and starts it again after a while. */
export async function restart(week: WeekNetwork, plan: Restart, context: RestartContext): Promise<void> {
  await pause(plan.afterMs)
  const name = `${plan.who} ${plan.signal}`
  context.counts[name] = (context.counts[name] ?? 0) + 1
  if (plan.who === 'hub') {
    context.say(`${plan.signal} to the hub`)
    await week.hub.end(plan.signal)
    await pause(plan.downMs)
    return week.hub.start()
  }
  const running =
    plan.who === 'validator'
      ? week.validators.filter(({ leftIn }) => leftIn === null)
      : week.miners.filter(({ leftIn }) => leftIn === null)
  const chosen = running[Math.floor(plan.which * running.length)]
  if (chosen === undefined) return
  const { node } = chosen
  context.say(`${plan.signal} to ${node.name}`)
  const down = { from: week.time() - 2, to: null as number | null }
  if (plan.who === 'miner') (chosen as Miner).downs.push(down)
  if (plan.signal === 'SIGKILL') await node.kill()
  else if ((await node.stop()) !== 0) context.problem(`${node.name} does not stop when it is told to.`)
  await pause(plan.downMs)
  await node.start()
  await node.waitUntilKnown()
  down.to = week.time() + 2
}

/** Nodes ask the hub for its time every few seconds, and are refused what they sign until they have its time. */
export async function waitForClocks(week: WeekNetwork): Promise<void> {
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
    await pause(250)
  }
}
