/** Runs the scenarios of one network for the process that started it, and tells it how they come on. */
import { Difference } from './difference.ts'
import type { NetworkMessage, NetworkTask } from './process.ts'
import { runOnNetwork } from './run.ts'

const { first, length, ...options } = JSON.parse(process.argv[2] ?? '') as NetworkTask
const tell = (message: NetworkMessage) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()))

// A difference of one network ends the run, and with it the others.
process.once('disconnect', () => process.exit(1))

try {
  const result = await runOnNetwork({
    ...options,
    seeds: Array.from({ length }, (_, index) => first + index),
    onProgress: (text) => void tell({ text }),
    onTurn: (result) => void tell({ result }),
  })
  await tell({ result })
} catch (error) {
  if (!(error instanceof Difference)) throw error
  await tell({ difference: error.message })
}
process.exit(0)
