import type { LongKind } from '../harness/kind.ts'
import { passIntoWork, startNodeNetwork } from '../network/node-network.ts'
import { Soak } from './soak.ts'

/** Real nodes end and come back while tasks are given, and their memory is watched. Linux only. */
export const soak: LongKind = {
  async run(options) {
    const { folder, length: minutes, problem, say } = options
    const network = await startNodeNetwork({ folder, miners: 5, hub: { inspectorPort: 0 }, problem })
    try {
      // An epoch ends, and is settled, in the middle of it.
      await passIntoWork(network, minutes * 30)
      say(`${network.validators.length + network.miners.length} nodes serve; logs are in ${folder}`)
      return await new Soak(network, options).run()
    } finally {
      await network.stop()
    }
  },
}
