import { closeThreads, type EngineChoice, execute } from '../engine/index.ts'
import { nodeReceiptOf } from '../receipts.ts'
import { type Check, failed, ok } from './finding.ts'
import { knownReceiptHash, knownRun } from './known-run.ts'

/** Runs a known module on the engines that this node may use, and compares the receipts. */
export const engineCheck =
  (choice: EngineChoice): Check =>
  async () => {
    const engines = choice === 'auto' ? (['native', 'pulley'] as const) : [choice]
    try {
      for (const engine of engines) {
        const result = await execute({ ...knownRun, engine })
        const { receipt_hash } = nodeReceiptOf({ ...knownRun, functionName: knownRun.function, result })
        if (receipt_hash !== knownReceiptHash)
          return failed(
            `the engine ${engine} gives another receipt than every other node: ${receipt_hash}`,
            'Do not serve from this machine. Install nodectl and Node.js again; if that does not help, check its memory.',
          )
      }
    } finally {
      await closeThreads()
    }
    return ok(`${engines.join(' and ')}: the known receipt`)
  }
