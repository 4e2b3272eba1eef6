import { CanonicalJsonError, parseStrictJson } from '../../../protocol/canonical-json.ts'
import { verifyEd25519 } from '../../../protocol/ed25519.ts'
import { hashEvents, hashReceipt, receiptText } from '../../../protocol/execution.ts'
import { isObject } from '../../../protocol/formats.ts'
import { deriveNodeId } from '../../../protocol/ids.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, exitCodes } from '../cli/errors.ts'
import { readInput } from '../cli/input.ts'
import { printJson } from '../cli/output.ts'
import { engineOf, functionIdOf, inputArguments, readArtifactFile, readRunInput } from '../cli/run-request.ts'
import type { EngineChoice } from '../engine/engine-name.ts'
import { NodeFault } from '../engine/execution.ts'
import { limits } from '../engine/limits.ts'
import { runOnce } from '../engine/run-once.ts'
import { profile } from '../profile.ts'
import { type ReceiptEnvelope, receiptOf } from '../receipts.ts'

const receiptBytesMax = 4 * 1024 * 1024
const timeoutSeconds = 60

export default defineNodectlCommand({
  definition: {
    meta: { name: 'verify', description: 'Run a function again and say whether a receipt holds' },
    args: {
      receipt: {
        type: 'positional',
        required: true,
        description: 'Output of run, or its receipt alone, as JSON; - is standard input',
      },
      hbc: { type: 'positional', required: true, description: 'The artifact' },
      ...inputArguments,
    },
    async run({ args }) {
      const engine = engineOf()
      const { envelope, gasLimit } = await readEnvelope(args.receipt)
      const artifact = await readArtifactFile(args.hbc)
      const input = await readRunInput(args)
      const { receipt } = envelope
      const problems = signatureProblems(envelope)
      if (receipt.module_address !== artifact.manifestAddress)
        problems.push(
          `the receipt is about the module ${receipt.module_address}, not ${artifact.manifestAddress}`,
        )
      else problems.push(...(await differences(engine, envelope, artifact, input, gasLimit)))
      printJson({ holds: problems.length === 0, problems, receipt_hash: envelope.receipt_hash })
      if (problems.length > 0) process.exitCode = exitCodes.failed
    },
  },
  examples: [
    ['verify receipt.json hello.hbc --input Ada', 'Check what another node answered'],
    ['run hello.hbc greet --input Ada | nodectl verify - hello.hbc --input Ada', 'Check a run of your own'],
  ],
})

/** The envelope, and the gas limit where the output of `run` tells it. */
async function readEnvelope(file: string): Promise<{ envelope: ReceiptEnvelope; gasLimit: number }> {
  const bytes = await readInput(file, receiptBytesMax)
  try {
    const value = parseStrictJson(bytes)
    const whole =
      isObject(value) && isObject(value.receipt) && isObject(value.receipt.receipt) ? value : undefined
    const envelope = (whole?.receipt ?? value) as unknown as ReceiptEnvelope
    if (!isObject(envelope) || !isObject(envelope.receipt) || typeof envelope.receipt.function !== 'string')
      throw new CliError('receipt', `${file} holds no receipt`)
    const stated = whole?.gas_limit
    return {
      envelope,
      gasLimit: typeof stated === 'number' && stated >= 1 && stated <= limits.gas ? stated : limits.gas,
    }
  } catch (error) {
    if (error instanceof CanonicalJsonError)
      throw new CliError('receipt', `${file} is not acceptable JSON: ${error.message}`)
    throw error
  }
}

function signatureProblems(envelope: ReceiptEnvelope): string[] {
  const problems: string[] = []
  if (hashEvents(envelope.events) !== envelope.receipt.events_hash)
    problems.push('the events are not those of events_hash')
  if (hashReceipt(envelope.receipt) !== envelope.receipt_hash)
    problems.push('receipt_hash is not the hash of the receipt')
  if (!verifyEd25519(envelope.public_key, receiptText(profile, envelope.receipt_hash), envelope.signature))
    problems.push('the signature does not verify')
  else if (deriveNodeId(profile, envelope.public_key) !== envelope.node_id)
    problems.push('node_id does not belong to public_key')
  return problems
}

async function differences(
  engine: EngineChoice,
  { receipt }: ReceiptEnvelope,
  artifact: Awaited<ReturnType<typeof readArtifactFile>>,
  input: Uint8Array,
  gasLimit: number,
): Promise<string[]> {
  const { manifestAddress: address, wasm } = artifact
  const functionId = functionIdOf(artifact, receipt.function)
  try {
    const result = await runOnce(engine, { address, wasm, functionId, input, gasLimit }, null, timeoutSeconds)
    const own = receiptOf({ address, functionName: receipt.function, input, result })
    return Object.entries(own).flatMap(([name, value]) => {
      const stated = (receipt as unknown as Record<string, unknown>)[name]
      return stated === value
        ? []
        : [`${name} is ${JSON.stringify(value)} here, not ${JSON.stringify(stated)}`]
    })
  } catch (error) {
    if (error instanceof NodeFault)
      throw new CliError('node_fault', `${error.message}; nothing can be said of the receipt`)
    throw error
  }
}
