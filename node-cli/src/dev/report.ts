import { printable } from '../cli/output.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import type { CompiledModule } from '../compiler/compile-module.ts'
import type { Tried } from './try-module.ts'

/** The result of compiling and trying a module once. */
export interface Look {
  readonly ok: boolean
  readonly manifest_address: string
  readonly functions: readonly string[]
  readonly wasm_bytes: number
  readonly hbc_bytes: number
  readonly samples: readonly Tried[]
}

export const lookOf = (compiled: CompiledModule, samples: readonly Tried[]): Look => ({
  ok: samples.every(({ ok }) => ok),
  manifest_address: compiled.manifestAddress,
  functions: compiled.functions,
  wasm_bytes: compiled.wasmBytes,
  hbc_bytes: compiled.bytes.length,
  samples,
})

const shownMax = 60
const line = (text: string) => writeOutput(`${printable(text)}\n`)
const short = (text: string): string => {
  const quoted = JSON.stringify(text)
  return quoted.length <= shownMax ? quoted : `${quoted.slice(0, shownMax)}…`
}

/** Prints it for people. */
export function printLook({ manifest_address, functions, wasm_bytes, samples }: Look): void {
  line(`${manifest_address}  ${wasm_bytes} bytes, exports ${functions.join(', ')}`)
  for (const one of samples) {
    const { ok, function: name, input, output, error, gas_used, expected, logs } = one
    const result = error === null ? short(output ?? '') : `error: ${error}`
    line(`  ${ok ? 'ok  ' : 'FAIL'}  ${name}(${short(input)}) = ${result}  ${gas_used} gas`)
    for (const text of logs) line(`        log: ${text}`)
    if (ok) continue
    if (expected !== null)
      line(`        expected ${'output' in expected ? short(expected.output) : `error: ${expected.error}`}`)
    if (error !== null) line(`        ${explain(error)}`)
  }
  const failed = samples.filter(({ ok }) => !ok).length
  line(
    failed === 0 ? `All ${samples.length} samples are ok.` : `${failed} of ${samples.length} samples failed.`,
  )
}

const explanations: readonly (readonly [start: string, words: string])[] = [
  [
    'out of gas',
    'It used all of its gas. Do less work in one call, or raise the limit: --gas, or gas of the sample.',
  ],
  ['stack limit exceeded', 'Its calls are nested too deep. Use a loop in the place of a recursion.'],
  ['guest returned error code', 'The function returned this number in the place of an output.'],
  ['output is not valid UTF-8', 'Outputs are text. Encode bytes, for example in hexadecimal digits.'],
  [
    'aborted',
    'The module ended the call itself: by fail, by an assertion, or by a check of AssemblyScript such as that of an index.',
  ],
  ['trap: unreachable', 'The code reached a place that it must not reach, such as a failed assertion.'],
  ['trap', 'The call broke a rule of the machine, which is named above.'],
]

const explain = (error: string): string => explanations.find(([start]) => error.startsWith(start))?.[1] ?? ''
