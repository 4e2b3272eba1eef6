import { openArtifact } from '../../../protocol/hbc/artifact.ts'
import { CliError } from '../cli/errors.ts'
import { orFault } from '../cli/run-request.ts'
import { type EngineChoice, execute, limits } from '../engine/index.ts'
import { nodeReceiptOf, shownResult } from '../receipts.ts'
import type { Expected, Sample } from './samples.ts'

/** The outcome of a sample. */
export interface Tried {
  readonly function: string
  readonly input: string
  readonly success: boolean
  readonly output: string | null
  readonly error: string | null
  readonly gas_used: number
  readonly receipt_hash: string
  readonly logs: readonly string[]
  readonly expected: Expected | null
  /** Whether the outcome is the expected one. */
  readonly ok: boolean
}

/**
 * Runs samples of a module one after the other, each over empty storage: module and sample alone decide output, gas and
 * receipt.
 *
 * @param samples null to call every function with an empty input.
 * @throws {@link CliError} for a sample that no node would run.
 */
export async function tryModule(
  bytes: Uint8Array,
  samples: readonly Sample[] | null,
  engine: EngineChoice,
  gas: number,
): Promise<Tried[]> {
  const { manifest, manifestAddress: address, wasm } = openArtifact(bytes)
  const { functions } = manifest
  const everyFunction = functions.map(
    (name): Sample => ({ function: name, input: '', expected: null, gas: null }),
  )
  const tried: Tried[] = []
  for (const { function: functionName, input: text, expected, gas: own } of samples ?? everyFunction) {
    if (!functions.includes(functionName))
      throw new CliError(
        'not_exported',
        `a sample calls '${functionName}', which the module does not export`,
        {
          hint: `The module exports: ${functions.join(', ')}`,
        },
      )
    const input = new TextEncoder().encode(text)
    if (input.length > limits.input)
      throw new CliError('too_large', `an input of '${functionName}' is larger than ${limits.input} bytes`)
    const module = { wasm, functions }
    const request = { engine, address, module, function: functionName, input, gasLimit: own ?? gas }
    const result = await orFault('the sample has no result', execute(request))
    const { success, output, error, gas_used } = shownResult(result)
    const { receipt_hash } = nodeReceiptOf({ address, functionName, input, result })
    tried.push({
      ...{ function: functionName, input: text, success, output, error, gas_used, receipt_hash },
      logs: result.logs,
      expected,
      ok: isExpected(expected, output, error),
    })
  }
  return tried
}

function isExpected(expected: Expected | null, output: string | null, error: string | null): boolean {
  if (expected === null) return error === null
  return 'output' in expected ? output === expected.output : error === expected.error
}
