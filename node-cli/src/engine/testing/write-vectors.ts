/**
 * Writes the engine's own known answers, of which both engines and the plain reference of the rules agree:
 * `node scripts/nx.mjs node node-cli/src/engine/testing/write-vectors.ts`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread, Worker } from 'node:worker_threads'
import { ownKernels } from '../../../../bench/engine/kernels.ts'
import { bytesToHex } from '../../../../protocol/encoding/index.ts'
import { echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import type { Engine } from '../host/instance.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native, nativeWith } from '../native/native.ts'
import { type EngineCase, expectationOf } from '../vectors/cases.ts'
import { assemble } from './guests.ts'
import { randomModule } from './random-module.ts'
import { referenceMeter } from './reference-meter.ts'
import { type RuleProgram, rulePrograms } from './rule-programs.ts'

const engines = [native, interpreter, nativeWith(referenceMeter)]
const plenty = 100_000_000

interface Program extends Omit<RuleProgram, 'text'> {
  readonly wasm: Uint8Array
}

/** Runs a program with plenty of gas, with what it uses, with one less, with half of it, and with what it asks for. */
function caseOf({ name, wasm, input = '', functionId = 0, limits = [] }: Program): EngineCase {
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

function write(file: string, programs: readonly Program[]): void {
  const target = path.join(import.meta.dirname, '../vectors', file)
  writeFileSync(target, `${JSON.stringify({ cases: programs.map(caseOf) }, null, 1)}\n`)
}

function writeAll(): void {
  write('rules.json', [
    {
      name: 'echo',
      wasm: echoWasm,
      input: '{"msg":"hi"}',
      limits: Array.from({ length: 24 }, (_, at) => 559 + at),
    },
    ...rulePrograms.map((program) => ({ ...program, wasm: assemble(program.text) })),
  ])
  const examples = path.join(import.meta.dirname, '../../../../examples/wat')
  write(
    'operators.json',
    readdirSync(examples)
      .filter((file) => file !== 'host-tower.wat')
      .map((file) => ({ name: file, wasm: assemble(readFileSync(path.join(examples, file), 'utf8')) })),
  )
  const small: Readonly<Record<string, string>> = {
    ackermann: '1',
    fibonacci: '16',
    mandelbrot: '24',
    sieve: '2000',
    sort: '300',
    words: '40',
  }
  write(
    'kernels.json',
    ownKernels().map(({ name, wasm }) => ({ name, wasm, input: small[name] ?? '2' })),
  )
  write(
    'random-modules.json',
    Array.from({ length: 60 }, (_, index) => ({
      name: `random ${index + 1}`,
      wasm: assemble(randomModule(index + 1)),
    })),
  )
}

if (isMainThread) new Worker(new URL(import.meta.url), { resourceLimits: { stackSizeMb: 256 } })
else writeAll()
