/** Runs known answers one after the other; see cases.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { hexToBytes } from '../../../../protocol/encoding/index.ts'
import type { EngineName } from '../engine-name.ts'
import { engines } from '../engines.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import { type EngineCase, type EngineOutcome, expectationOf } from './cases.ts'

const { cases, engine } = workerData as { cases: EngineCase[]; engine: EngineName }

function outcomesOf({ name, wasm_hex, call, gas_limit, expect, runs }: EngineCase): EngineOutcome[] {
  const wasm = hexToBytes(`0x${wasm_hex}`)
  const input = new TextEncoder().encode(call.input_utf8)
  const given = runs ?? [{ gas_limit: gas_limit!, expect: expect! }]
  return given.map(({ gas_limit: gasLimit, expect: expected }) => {
    const request = { address: wasm_hex, wasm, functionId: call.func_id, input, gasLimit }
    return {
      name: `${name}, gas limit ${gasLimit}`,
      expected,
      got: expectationOf(executeOn(engines[engine], request, emptyState)),
    }
  })
}

parentPort?.postMessage(cases.flatMap(outcomesOf))
