/** Runs known answers on one engine and prints a line for each, receipt hash and error; see across-nodes.ts. */
import { readFileSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { EngineName } from '../../node-cli/src/engine/engine-name.ts'
import { engines } from '../../node-cli/src/engine/engines.ts'
import { emptyState } from '../../node-cli/src/engine/execution.ts'
import { executeOn } from '../../node-cli/src/engine/host/call.ts'
import type { EngineCase } from '../../node-cli/src/engine/vectors/cases.ts'
import { hexToBytes } from '../../protocol/encoding/index.ts'
import { createReceipt, hashReceipt } from '../../protocol/execution/index.ts'

interface Request {
  readonly engine: EngineName
  readonly file: string
}

const address = `0x${'00'.repeat(32)}`

function linesOf({ name, wasm_hex, call, runs }: EngineCase, engine: EngineName): string[] {
  const wasm = hexToBytes(`0x${wasm_hex}`)
  const input = new TextEncoder().encode(call.input_utf8)
  return runs!.map(({ gas_limit: gasLimit }) => {
    const request = { address, wasm, functionId: call.func_id, input, gasLimit }
    const { success, output, error, events, gasUsed } = executeOn(engines[engine], request, emptyState)
    const receipt = createReceipt({
      module_address: address,
      function: 'f',
      input,
      output: output ?? new Uint8Array(),
      events,
      gas_used: gasUsed,
      success,
    })
    return `${name}, gas limit ${gasLimit}: ${hashReceipt(receipt)} ${gasUsed} ${error ?? 'success'}`
  })
}

if (isMainThread) {
  const [engine, file] = process.argv.slice(2)
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { engine, file },
    resourceLimits: { stackSizeMb: 256 },
  })
  worker.once('message', (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`))
} else {
  const { engine, file } = workerData as Request
  const cases = JSON.parse(readFileSync(file, 'utf8')) as EngineCase[]
  parentPort?.postMessage(cases.flatMap((one) => linesOf(one, engine)))
}
