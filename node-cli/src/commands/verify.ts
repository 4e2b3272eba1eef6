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
      const { envelope, gasLimits } = await readEnvelope(args.receipt)
      const artifact = await readArtifactFile(args.hbc)
      const input = await readRunInput(args)
      const { receipt } = envelope
      const problems = signatureProblems(envelope)
      if (receipt.module_address !== artifact.manifestAddress)
        problems.push(
          `the receipt is about the module ${receipt.module_address}, not ${artifact.manifestAddress}`,
        )
      else problems.push(...(await differences(engine, envelope, artifact, input, gasLimits)))
      printJson({ holds: problems.length === 0, problems, receipt_hash: envelope.receipt_hash })
      if (problems.length > 0) process.exitCode = exitCodes.failed
    },
  },
  examples: [
    ['verify receipt.json hello.hbc --input Ada', 'Check what another node answered'],
    ['run hello.hbc greet --input Ada | nodectl verify - hello.hbc --input Ada', 'Check a run of your own'],
  ],
})

/**
 * The envelope, and the gas limits it may have been run with. The output of `run` tells the one; a receipt does not, but
 * only a run that the limit ended, or nearly did, depends on it, and then the gas used is the limit.
 */
async function readEnvelope(file: string): Promise<{ envelope: ReceiptEnvelope; gasLimits: number[] }> {
  const bytes = await readInput(file, receiptBytesMax)
  try {
    const value = parseStrictJson(bytes)
    const whole =
      isObject(value) && isObject(value.receipt) && isObject(value.receipt.receipt) ? value : undefined
    const envelope = (whole?.receipt ?? value) as unknown as ReceiptEnvelope
    if (!isObject(envelope) || !isObject(envelope.receipt) || typeof envelope.receipt.function !== 'string')
      throw new CliError('receipt', `${file} holds no receipt`)
    const isLimit = (value: unknown): value is number =>
      Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= limits.gas
    const stated = whole?.gas_limit
    const possible = isLimit(stated) ? [stated] : [limits.gas, envelope.receipt.gas_used].filter(isLimit)
    return { envelope, gasLimits: possible }
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

/** How the receipt differs from a run of one's own; not at all when it is that of a run with one of the limits. */
async function differences(
  engine: EngineChoice,
  envelope: ReceiptEnvelope,
  artifact: Awaited<ReturnType<typeof readArtifactFile>>,
  input: Uint8Array,
  [gasLimit, ...otherLimits]: readonly number[],
): Promise<string[]> {
  const found = await differencesUnder(engine, envelope, artifact, input, gasLimit!)
  if (found.length === 0 || otherLimits.length === 0) return found
  const others = await differences(engine, envelope, artifact, input, otherLimits)
  return others.length === 0 ? [] : found
}

async function differencesUnder(
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
