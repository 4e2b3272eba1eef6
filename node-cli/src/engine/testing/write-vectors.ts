/**
 * Writes the engine's own known answers, of which both engines and the plain reference of the rules agree:
 * `node scripts/nx.mjs node node-cli/src/engine/testing/write-vectors.ts`.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread, Worker } from 'node:worker_threads'
import { bytesToHex } from '../../../../protocol/encoding/index.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import type { Engine } from '../host/instance.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native, nativeWith } from '../native/native.ts'
import { type EngineCase, expectationOf } from '../vectors/cases.ts'
import { referenceMeter } from './reference-meter.ts'
import { type VectorProgram, vectorPrograms } from './vector-programs.ts'

const engines = [native, interpreter, nativeWith(referenceMeter)]
const plenty = 100_000_000

/** Runs a program with plenty of gas, with the gas it uses, with one less, with half of it, and with its own limits. */
function caseOf({ name, wasm, input = '', functionId = 0, limits = [] }: VectorProgram): EngineCase {
  const run = (gasLimit: number, engine: Engine) => {
    const request = { address: name, wasm, functionId, input: new TextEncoder().encode(input), gasLimit }
    return executeOn(engine, request, emptyState)
  }
  const { gasUsed } = run(plenty, native)
  const usual = gasUsed === plenty ? [plenty] : [plenty, gasUsed, gasUsed - 1, gasUsed >> 1]
  const runs = [...new Set([...usual, ...limits])]
    .filter((limit) => limit >= 1)
    .map((limit) => {
      const [expect, ...others] = engines.map((engine) => expectationOf(run(limit, engine)))
      for (const other of others)
        if (JSON.stringify(expect) !== JSON.stringify(other))
          throw new Error(
            `${name}, gas limit ${limit}: ${JSON.stringify(expect)} and ${JSON.stringify(other)}`,
          )
      return { gas_limit: limit, expect: expect! }
    })
  return { name, wasm_hex: bytesToHex(wasm).slice(2), call: { func_id: functionId, input_utf8: input }, runs }
}

function writeAll(): void {
  for (const [file, programs] of Object.entries(vectorPrograms())) {
    const target = path.join(import.meta.dirname, '../vectors', file)
    writeFileSync(target, `${JSON.stringify({ cases: programs().map(caseOf) }, null, 1)}\n`)
  }
}

if (isMainThread) new Worker(new URL(import.meta.url), { resourceLimits: { stackSizeMb: 256 } })
else writeAll()
