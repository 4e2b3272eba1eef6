/** Runs the scenarios of one network for the process that started it, and reports its progress. */
import { Difference } from './harness/difference.ts'
import { type NetworkMessage, type NetworkTask, runNetwork } from './harness/scenarios.ts'
import { kinds } from './kinds.ts'

const { kind: name, first, length } = JSON.parse(process.argv[2] ?? '') as NetworkTask
const tell = (message: NetworkMessage) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()))

// A difference of one network ends the run, and with it the other networks.
process.once('disconnect', () => process.exit(1))

try {
  const kind = await kinds[name]!.load()
  if (!('start' in kind)) throw new Error(`${name} has no scenarios`)
  const result = await runNetwork(kind, {
    seeds: Array.from({ length }, (_, index) => first + index),
    say: (text) => void tell({ text }),
    onTurn: (result) => void tell({ result }),
  })
  await tell({ result })
} catch (error) {
  if (!(error instanceof Difference)) throw error
  await tell({ difference: error.message })
}
process.exit(0)
