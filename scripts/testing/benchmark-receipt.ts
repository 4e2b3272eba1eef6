import { engineNames, execute } from '../../node-cli/src/engine/index.ts'
import { nodeReceiptOf } from '../../node-cli/src/receipts.ts'
import { openArtifact } from '../../protocol/hbc/artifact.ts'

/** One run of the suite, as a device is asked for it. */
export interface BenchmarkRun {
  readonly name: string
  readonly module_address: string
  readonly function: string
  readonly input: string
  readonly gas_limit: number
}

/**
 * The hash of the receipt of a run that succeeds.
 * @throws When the engines differ, or the run fails.
 */
export async function agreedReceipt(run: BenchmarkRun, artifact: Uint8Array): Promise<string> {
  const { wasm, manifest } = openArtifact(artifact)
  const { module_address: address, function: functionName, gas_limit: gasLimit } = run
  const input = new TextEncoder().encode(run.input)
  const hashes = new Set<string>()
  for (const engine of engineNames) {
    const module = { wasm, functions: manifest.functions }
    const result = await execute({ engine, address, module, function: functionName, input, gasLimit })
    if (!result.success) throw new Error(`${run.name} fails: ${result.error}`)
    hashes.add(nodeReceiptOf({ address, functionName, input, result }).receipt_hash)
  }
  const [hash] = hashes
  if (hash === undefined || hashes.size > 1) throw new Error(`the engines differ on ${run.name}`)
  return hash
}
