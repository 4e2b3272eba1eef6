/**
 * Runs a module as `nodectl run` does, with a time limit of choice, and prints the fault it ends with:
 * `node run-limited.ts FILE ENGINE SECONDS`.
 */
import { readFileSync } from 'node:fs'
import type { EngineChoice } from '../engine-name.ts'
import { NodeFault } from '../execution.ts'
import { limits } from '../limits.ts'
import { runOnce } from '../run-once.ts'

const [file = '', engine, seconds] = process.argv.slice(2)
const request = {
  address: `0x${'00'.repeat(32)}`,
  wasm: readFileSync(file),
  functionId: 0,
  input: new Uint8Array(),
  gasLimit: limits.gas,
}
try {
  console.log(await runOnce(engine as EngineChoice, request, null, Number(seconds)))
} catch (error) {
  if (!(error instanceof NodeFault)) throw error
  console.log(error.message)
}
