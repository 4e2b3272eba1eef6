import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ownKernels } from '../../../../bench/engine/kernels.ts'
import { echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { assemble } from './guests.ts'
import { randomModule } from './random-module.ts'
import { type RuleProgram, rulePrograms } from './rule-programs.ts'

export interface VectorProgram extends Omit<RuleProgram, 'text'> {
  readonly wasm: Uint8Array
}

/** The programs of the engine's own known answers, by the file of `../vectors` that has their answers. */
export function vectorPrograms(): Record<string, () => VectorProgram[]> {
  const limits = Array.from({ length: 24 }, (_, at) => 559 + at)
  const examples = path.join(import.meta.dirname, '../../../../examples/wat')
  const small: Readonly<Record<string, string>> = {
    ackermann: '1',
    fibonacci: '16',
    mandelbrot: '24',
    sieve: '2000',
    sort: '300',
    words: '40',
  }
  return {
    'rules.json': () => [
      { name: 'echo', wasm: echoWasm, input: '{"msg":"hi"}', limits },
      ...rulePrograms.map((program) => ({ ...program, wasm: assemble(program.text) })),
    ],
    'operators.json': () =>
      readdirSync(examples)
        .filter((file) => file !== 'host-tower.wat')
        .map((file) => ({ name: file, wasm: assemble(readFileSync(path.join(examples, file), 'utf8')) })),
    'kernels.json': () => ownKernels().map(({ name, wasm }) => ({ name, wasm, input: small[name] ?? '2' })),
    'random-modules.json': () =>
      Array.from({ length: 60 }, (_, index) => ({
        name: `random ${index + 1}`,
        wasm: assemble(randomModule(index + 1)),
      })),
  }
}
