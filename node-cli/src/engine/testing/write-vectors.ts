/**
 * Writes the engine's own known answers, from random modules whose outcome both ways of metering agree on:
 * `node scripts/nx.mjs node --stack-size=60000 node-cli/src/engine/testing/write-vectors.ts`.
 */
import { writeFileSync } from 'node:fs'
import wabt from 'wabt'
import { echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { bytesToHex } from '../../../../protocol/hex.ts'
import { executeOn } from '../call.ts'
import { type ExecutionResult, outOfGas, stackLimit } from '../execution.ts'
import type { Engine } from '../instance.ts'
import { native, nativeWith } from '../native.ts'
import type { EngineCase, Expectation } from '../vectors.ts'
import { randomModule } from './random-module.ts'
import { referenceMeter } from './reference-meter.ts'

const features = { tail_call: true, simd: true, multi_value: true, bulk_memory: true, reference_types: true }
const { parseWat } = await wabt()

const expectationOf = ({ success, gasUsed, error, output }: ExecutionResult): Expectation => ({
  success,
  gas_used: gasUsed,
  error: error === null || error === outOfGas || error === stackLimit ? error : 'trap',
  ...(output !== null && { output_utf8: new TextDecoder().decode(output) }),
})

const reference = nativeWith(referenceMeter)

function caseOf(name: string, wasm: Uint8Array, input: string): EngineCase {
  const run = (gasLimit: number, engine: Engine) => {
    const request = { address: name, wasm, functionId: 0, input: new TextEncoder().encode(input), gasLimit }
    return executeOn(engine, request, { module: () => null, stored: () => null })
  }
  const { gasUsed } = run(1_000_000, native)
  const limits = [...new Set([1_000_000, gasUsed, gasUsed - 1, gasUsed >> 1])].filter((limit) => limit >= 1)
  const runs = limits.map((limit) => {
    const [expect, plain] = [native, reference].map((engine) => expectationOf(run(limit, engine)))
    if (JSON.stringify(expect) !== JSON.stringify(plain))
      throw new Error(`${name}: the two ways of metering disagree`)
    return { gas_limit: limit, expect: expect! }
  })
  return { name, wasm_hex: bytesToHex(wasm).slice(2), call: { func_id: 0, input_utf8: input }, runs }
}

const cases = [caseOf('echo', echoWasm, '{"msg":"hi"}')]
for (let seed = 1; seed <= 60; seed++) {
  const parsed = parseWat(`${seed}.wat`, randomModule(seed), features)
  cases.push(caseOf(`random ${seed}`, parsed.toBinary({}).buffer, ''))
}
writeFileSync('node-cli/src/engine/vectors/random-modules.json', `${JSON.stringify({ cases }, null, 1)}\n`)
