import wabt from 'wabt'
import { executeOn } from '../call.ts'
import type { Surroundings } from '../execution.ts'
import type { Engine } from '../instance.ts'
import { pulley } from '../interpreter/pulley.ts'
import { native, nativeWith } from '../native.ts'
import { randomModule } from './random-module.ts'
import { referenceMeter } from './reference-meter.ts'

export interface Comparison {
  runs: number
  differences: string[]
  /** How many modules ended how. */
  outcomes: Record<string, number>
}

const alone: Surroundings = { module: () => null, stored: () => null }
const features = { tail_call: true, simd: true, multi_value: true, bulk_memory: true, reference_types: true }

const reference = nativeWith(referenceMeter)

/** Runs random modules on every engine and with the plain way of metering, under limits around what each uses. */
export async function compareSeeds(
  first: number,
  modules: number,
  progress: (done: number) => void = () => {},
): Promise<Comparison> {
  const { parseWat } = await wabt()
  const comparison: Comparison = { runs: 0, differences: [], outcomes: {} }
  for (let seed = first; seed < first + modules; seed++) {
    const parsed = parseWat(`${seed}.wat`, randomModule(seed), features)
    const wasm = parsed.toBinary({}).buffer
    parsed.destroy()
    const run = (gasLimit: number, engine: Engine) => {
      const request = { address: 'random', wasm, functionId: 0, input: new Uint8Array(), gasLimit }
      const { success, gasUsed, error, output } = executeOn(engine, request, alone)
      return { success, gasUsed, error, output: output === null ? null : new TextDecoder().decode(output) }
    }
    const { gasUsed, error } = run(1_000_000, native)
    comparison.outcomes[error ?? 'success'] = (comparison.outcomes[error ?? 'success'] ?? 0) + 1
    const limits = [1_000_000, gasUsed + 1, gasUsed, gasUsed - 1, gasUsed - 2, gasUsed >> 1, 30]
    for (const limit of limits.filter((one) => one >= 1)) {
      comparison.runs += 1
      const [fast, ...others] = [native, reference, pulley].map((engine) =>
        JSON.stringify(run(limit, engine)),
      )
      for (const other of others)
        if (fast !== other)
          comparison.differences.push(`seed ${seed}, gas limit ${limit}: ${fast} and ${other}`)
    }
    if ((seed - first + 1) % 2000 === 0) progress(seed - first + 1)
  }
  return comparison
}
