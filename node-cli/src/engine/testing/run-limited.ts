/**
 * Runs a module as `nodectl run` does, with a time limit of choice, and prints the fault it ends with:
 * `node run-limited.ts FILE ENGINE SECONDS`.
 */
import { readFileSync } from 'node:fs'
import { type EngineChoice, execute, limits, NodeFault } from '../index.ts'

const [file = '', engine, seconds] = process.argv.slice(2)
try {
  const result = await execute({
    engine: engine as EngineChoice,
    address: `0x${'00'.repeat(32)}`,
    module: { wasm: readFileSync(file), functions: ['f'] },
    function: 'f',
    input: new Uint8Array(),
    gasLimit: limits.gas,
    timeoutSeconds: Number(seconds),
    foreground: true,
  })
  console.log(result)
} catch (error) {
  if (!(error instanceof NodeFault)) throw error
  console.log(error.message)
}
