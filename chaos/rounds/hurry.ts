import { delay } from '../harness/time.ts'
import type { CheckedNetwork } from './check.ts'
import type { RoundsNetwork } from './network.ts'
import type { SimulatedMiner } from './simulator/miner.ts'

/** If nobody has heard anything for this long, a deadline comes next. */
const quietMs = 1_500
/** On a machine that others keep busy it takes longer: this many times what an answer takes. */
const quietAnswers = 12
/**
 * How far the time of the network leaps then, in seconds: further each time in a row, up to the longest pause between two
 * questions to validators. If nothing happens then, more time does not help.
 */
const leapSecs = { min: 5, max: 60, inARow: 180 }

/**
 * Deadlines are minutes of the network's time. While nobody has anything to do but wait for one, time leaps; so nobody is
 * late because it leapt.
 */
export async function hurry(network: CheckedNetwork, running: Promise<unknown>): Promise<void> {
  const { faulty, miners, validators, up } = network
  let isOver = false
  const over = running.finally(() => {
    isOver = true
  })
  let movedAtMs = performance.now()
  let secs = leapSecs.min
  let leapt = 0
  while (!isOver) {
    await Promise.race([delay(quietMs / 3), over])
    await up()
    const neededMs = Math.max(quietMs, quietAnswers * (await answerMs(network)))
    const heardAtMs = Math.max(
      network.givenAtMs,
      validators.askedAtMs(),
      ...miners.map((miner: SimulatedMiner) => miner.heardAtMs),
    )
    if (heardAtMs > movedAtMs) {
      secs = leapSecs.min
      leapt = 0
    }
    const lastMs = Math.max(heardAtMs, movedAtMs)
    const isQuiet = performance.now() - lastMs > neededMs
    const isBusy = validators.isAnyDown() || !miners.every(({ isIdle }) => isIdle)
    if (isOver || !isQuiet || leapt >= leapSecs.inARow || isBusy) continue
    await faulty.pass(secs)
    movedAtMs = performance.now()
    leapt += secs
    secs = Math.min(leapSecs.max, 2 * secs)
  }
}

/** How long hub and chain take to answer at the moment. */
async function answerMs({ hub, chain }: RoundsNetwork): Promise<number> {
  const askedAtMs = performance.now()
  hub.leap()
  await Promise.all([hub.time(), chain.rpc('eth_blockNumber')])
  return performance.now() - askedAtMs
}
