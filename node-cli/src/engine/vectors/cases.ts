import { Worker } from 'node:worker_threads'
import type { EngineName } from '../engine-name.ts'
import { type ExecutionResult, outOfGas, stackLimit } from '../execution.ts'

/** One known answer of an engine: a call under one or several gas limits. */
export interface EngineCase {
  name: string
  wasm_hex: string
  call: { func_id: number; input_utf8: string }
  gas_limit?: number
  expect?: Expectation
  runs?: { gas_limit: number; expect: Expectation }[]
}

/** `error` is null, `out of gas`, `stack limit exceeded`, or `trap` for every other failure of the run. */
export interface Expectation {
  success: boolean
  gas_used: number
  error: string | null
  output_utf8?: string
}

export interface EngineOutcome {
  name: string
  expected: Expectation
  got: Expectation
}

/** Whether the cases are for an engine: they carry a module. */
export const isEngineCase = (value: unknown): value is EngineCase =>
  typeof value === 'object' && value !== null && 'wasm_hex' in value

/** Runs the cases on one engine, in a thread whose stack outlasts the guests'. */
export function runEngineCases(cases: readonly EngineCase[], engine: EngineName): Promise<EngineOutcome[]> {
  const file = new URL('./worker.ts', import.meta.url)
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { cases, engine }, resourceLimits: { stackSizeMb: 64 } })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** The members of a result that a case states. */
export const expectationOf = ({ success, gasUsed, error, output }: ExecutionResult): Expectation => ({
  success,
  gas_used: gasUsed,
  error: error === null || error === outOfGas || error === stackLimit ? error : 'trap',
  ...(output !== null && { output_utf8: new TextDecoder().decode(output) }),
})

/** Whether an outcome is the one expected. */
export const agrees = ({ expected, got }: EngineOutcome): boolean =>
  got.success === expected.success &&
  got.gas_used === expected.gas_used &&
  got.error === expected.error &&
  got.output_utf8 === expected.output_utf8
