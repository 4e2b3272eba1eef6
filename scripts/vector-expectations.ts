import * as z from 'zod'
import { isEngineCase } from '../node-cli/src/engine/vectors/cases.ts'
import { type Json, readVectorFile, VectorFileError, type VectorSet } from '../protocol/vectors/format.ts'

const Run = z.object({
  gas_limit: z.int().positive(),
  expect: z.object({
    success: z.boolean(),
    gas_used: z.int().nonnegative(),
    error: z.string().nullable(),
    output_utf8: z.string().optional(),
  }),
})
const Call = z.object({
  wasm_hex: z.string().regex(/^([0-9a-f]{2})*$/, 'must be bytes in lower-case hex without 0x'),
  call: z.object({ func_id: z.int32(), input_utf8: z.string() }),
})
const OneRun = Call.extend(Run.shape)
const SeveralRuns = Call.extend({ runs: z.array(Run).min(1, 'must not be empty') })

/**
 * Reads a known-answer file in which every topic has cases and every case states what is expected: a file that asks for
 * nothing would pass on any implementation.
 *
 * @throws {@link VectorFileError}
 */
export function readExpectations(file: string): VectorSet[] {
  const sets = readVectorFile(file)
  if (sets.length === 0) throw new VectorFileError(file, 'has no topic, so nothing would be tested.')
  for (const { topic, cases } of sets) {
    if (cases.length === 0) throw new VectorFileError(file, `topic ${topic} has no case.`)
    const problemOf = cases.some(isEngineCase) ? runProblem : outputProblem
    for (const [index, one] of cases.entries()) {
      const problem = problemOf(one)
      if (problem === null) continue
      const name = typeof one.name === 'string' ? one.name : index + 1
      throw new VectorFileError(file, `case ${name} of topic ${topic} ${problem}.`)
    }
  }
  return sets
}

const outputProblem = ({ output }: Json): string | null =>
  output === undefined || (isPlain(output) && Object.keys(output).length === 0) ? 'states no output' : null

function runProblem(one: Json): string | null {
  const { error } = ('runs' in one ? SeveralRuns : OneRun).safeParse(one)
  const [issue] = error?.issues ?? []
  return issue === undefined ? null : `cannot be run: ${issue.path.join('.')}: ${issue.message}`
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
