import path from 'node:path'
import { textOf } from '../harness/difference.ts'
import type { LongKind, LongRunOptions } from '../harness/kind.ts'
import { localChain, type NodeNetworkOptions, startNodeNetwork } from '../network/node-network.ts'
import { plainCourse, type RehearsalChain } from './course.ts'
import { type LoopPlan, runLoop } from './loop.ts'
import { startPublicChain } from './public-chain.ts'
import { rehearsedChains } from './slot-chain.ts'
import { readSums } from './sums.ts'

/** As many as a reorganisation on Sepolia has taken; on others none was seen to take more. */
const depths = [1, 7, 2, 5, 3]

/**
 * The whole way of a network, from a stake to its end, on a chain like a public one, and beside it on a chain of this machine. Both end
 * with the same sums.
 */
export const rehearsalOn = (name: keyof typeof rehearsedChains): LongKind => ({
  async run({ folder, length, seed, say, problem }) {
    const plan: LoopPlan = { tasks: length, depths, isWhole: true }
    const chain = await startPublicChain(rehearsedChains[name], seed)
    const options = { folder: path.join(folder, name), say, problem }
    const [there, here] = await Promise.all([
      rehearse(chain, plan, options),
      rehearse(null, plan, { ...options, folder: path.join(folder, 'local') }),
    ])
    if (textOf(there) !== textOf(here))
      problem(`The sums are ${textOf(there)}, and on a local chain ${textOf(here)}`)
    return { sums: there, ...chain.figures() }
  },
})

type Telling = Pick<LongRunOptions, 'folder' | 'say' | 'problem'>

/** The sums at the end. @param rehearsed - Null for a chain of this machine. @param other - Options of the network that are not the usual ones. */
export async function rehearse(
  rehearsed: RehearsalChain | null,
  plan: LoopPlan,
  { folder, say, problem }: Telling,
  other: Pick<NodeNetworkOptions, 'validators' | 'nodeOf'> = {},
) {
  const course = rehearsed ?? plainCourse
  const chain = rehearsed ?? (await localChain(folder))
  const network = await course.during(startNodeNetwork({ folder, miners: 3, problem, chain, ...other }))
  try {
    say(`A network on chain ${chain.id} runs; logs are in ${folder}`)
    await runLoop(network, course, plan, say)
    return await readSums(network)
  } finally {
    await network.stop()
  }
}
