import { CanonicalJsonError, encodeCanonicalJson } from '../../../protocol/encoding/index.ts'
import { CliError } from '../cli/errors.ts'
import { readInput } from '../cli/input.ts'
import { limits } from '../engine/limits.ts'

/** An input to try a function with, and the expected result. */
export interface Sample {
  readonly function: string
  readonly input: string
  /** Null if every success will do. */
  readonly expected: Expected | null
  /** Null for the usual limit. */
  readonly gas: number | null
}

export type Expected = { readonly output: string } | { readonly error: string }

const samplesMax = 1_000
const fileBytesMax = 4 * 1024 * 1024
const members = ['function', 'input', 'output', 'error', 'gas']
const example = '{"function": "greet", "input": "Ada", "output": "Hello, Ada!"}'

/** Reads a file of samples. @throws {@link CliError} that names what is wrong with it. */
export async function readSamples(file: string): Promise<Sample[]> {
  const text = new TextDecoder().decode(await readInput(file, fileBytesMax))
  const refuse = (problem: string): never => {
    throw new CliError('samples', `${file}: ${problem}`, {
      hint: `A sample looks like ${example}; input, output or error, and gas may be left out.`,
    })
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return refuse((error as Error).message)
  }
  if (!Array.isArray(given) || given.length === 0 || given.length > samplesMax)
    return refuse(`must be a list of 1 to ${samplesMax} samples`)
  return given.map((one, index) => {
    try {
      return sampleOf(one) ?? refuse(`sample ${index + 1} does not have the form of a sample`)
    } catch (error) {
      if (!(error instanceof CanonicalJsonError)) throw error
      return refuse(`the input of sample ${index + 1} is JSON that no hub takes. ${error.message}`)
    }
  })
}

/** @throws {@link CanonicalJsonError} for an input that cannot be that of a task. */
function sampleOf(given: unknown): Sample | null {
  if (
    typeof given !== 'object' ||
    given === null ||
    Object.keys(given).some((name) => !members.includes(name))
  )
    return null
  const { function: name, input = '', output, error, gas = null } = given as Record<string, unknown>
  const isGas = gas === null || (Number.isSafeInteger(gas) && Number(gas) >= 1 && Number(gas) <= limits.gas)
  if (typeof name !== 'string' || !isGas || (output !== undefined && error !== undefined)) return null
  if (error !== undefined && typeof error !== 'string') return null
  const expected = error !== undefined ? { error } : output !== undefined ? { output: textOf(output) } : null
  return { function: name, input: inputOf(input), expected, gas: gas as number | null }
}

/** A text as it is, anything else as a hub passes it to the module. */
const inputOf = (value: unknown): string => (typeof value === 'string' ? value : encodeCanonicalJson(value))

/** A text as it is, anything else as JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
