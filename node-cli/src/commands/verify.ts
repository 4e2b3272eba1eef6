import { hashEvents, hashReceipt, receiptText } from '../../../protocol/execution/index.ts'
import type { Artifact } from '../../../protocol/hbc/artifact.ts'
import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { checkGuest } from '../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../protocol/wasm/reader.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { exitCodes } from '../cli/errors.ts'
import { checkStandardInput } from '../cli/input.ts'
import { printJson, tell } from '../cli/output.ts'
import {
  engineEnvironment,
  engineOf,
  inputArguments,
  orFault,
  readArtifactFile,
  readRunInput,
} from '../cli/run-request.ts'
import { type EngineChoice, type ExecutionResult, execute, NodeFault } from '../engine/index.ts'
import { verifyNatively } from '../node-verifier.ts'
import { profileArgument, profileEnvironment, profileOf } from '../profile.ts'
import { type Claim, type ClaimedEnvelope, readClaim, receiptMembers } from '../receipt-claim.ts'
import { nodeReceiptOf, type Ran, shownResult } from '../receipts.ts'

export default defineNodectlCommand({
  args: {
    receipt: {
      type: 'positional',
      required: true,
      description:
        'A receipt as JSON: the output of run, the answer of a hub about a receipt, or a receipt alone; - is standard input',
    },
    hbc: { type: 'positional', required: true, description: 'The artifact' },
    ...inputArguments,
    profile: profileArgument,
  },
  async run({ args }) {
    const engine = engineOf()
    checkStandardInput(args.receipt, args.hbc, args['input-file'])
    const claim = await readClaim(args.receipt)
    const artifact = await readArtifactFile(args.hbc)
    const input = await readRunInput(args)
    const { receipt, signer } = claim.envelope
    const problems = signatureProblems(profileOf(args, null), claim.envelope)
    if (receipt.module_address !== artifact.manifestAddress)
      problems.push(
        `the receipt is about the module ${receipt.module_address}, not ${artifact.manifestAddress}`,
      )
    else for (const one of await differences(engine, claim, artifact, input)) problems.push(one)
    const signed_by = signer?.node_id ?? null
    printJson({ holds: problems.length === 0, problems, receipt_hash: receipt.receipt_hash, signed_by })
    if (signer === null)
      tell(
        'No device signed this receipt, because validators ran the task; its hash and the run are compared.',
      )
    if (problems.length > 0) process.exitCode = exitCodes.failed
  },
  environment: [engineEnvironment, profileEnvironment],
  exits: [
    'the receipt holds',
    'it does not, and problems says why; or it cannot be checked, and a line that begins with Error: says why',
  ],
  examples: [
    ['verify receipt.json hello.hbc --input Ada', 'Check what another node answered'],
    ['run hello.hbc greet --input Ada | nodectl verify - hello.hbc --input Ada', 'Check a run of your own'],
    ['verify explorer.json hello.hbc --input Ada', 'Check what the hub shows of a final result'],
  ],
})

function signatureProblems(profile: Profile, { receipt, signer }: ClaimedEnvelope): string[] {
  const problems: string[] = []
  const others = Object.keys(receipt).filter((name) => !receiptMembers.includes(name))
  if (others.length > 0) problems.push(`the receipt has members that nobody signed: ${others.join(', ')}`)
  if (receipt.events !== undefined && hashEvents(receipt.events) !== receipt.events_hash)
    problems.push('the events are not those of events_hash')
  if (hashReceipt(receipt) !== receipt.receipt_hash)
    problems.push('receipt_hash is not the hash of the receipt')
  if (signer === null) return problems
  if (!verifyNatively(signer.public_key, receiptText(profile, receipt.receipt_hash), signer.signature))
    problems.push('the signature does not verify')
  else if (deriveNodeId(profile, signer.public_key) !== signer.node_id)
    problems.push('node_id does not belong to public_key')
  return problems
}

/** How a claim differs from a run of one's own; not at all when it is that of a run with one of the limits. */
async function differences(
  engine: EngineChoice,
  claim: Claim,
  { manifest, manifestAddress: address, wasm }: Artifact,
  input: Uint8Array,
): Promise<string[]> {
  const { function: functionName } = claim.envelope.receipt
  const { functions } = manifest
  if (!functions.includes(functionName)) return [`the module does not export the function ${functionName}`]
  const request = { engine, address, module: { wasm, functions }, function: functionName, input } as const
  let found: string[] | undefined
  for (const gasLimit of claim.gasLimits) {
    const run = execute({ ...request, gasLimit, foreground: true })
    // The first limit decides. A run with the other one tells more of what differs, if it ends.
    const result = await (found === undefined ? orFault('the receipt cannot be checked', run) : orNull(run))
    if (result === null) break
    found = differencesFrom(claim, { address, functionName, input, result })
    if (found.length === 0) return found
  }
  return [...(found ?? []), ...stateProblem(wasm)]
}

/** The result of a run, or null if the node has none. */
async function orNull(run: Promise<ExecutionResult>): Promise<ExecutionResult | null> {
  try {
    return await run
  } catch (error) {
    if (error instanceof NodeFault) return null
    throw error
  }
}

function differencesFrom({ envelope, beside }: Claim, ran: Ran): string[] {
  const differing = (own: object, stated: object, where: string): string[] =>
    Object.entries(own).flatMap(([name, value]) => {
      const other = (stated as Record<string, unknown>)[name]
      return other === value
        ? []
        : [`${name}${where} is ${JSON.stringify(value)} here, not ${JSON.stringify(other)}`]
    })
  // The events are compared by their hash, and the hash of the receipt with the receipt that is claimed.
  const { events: _events, receipt_hash: _hash, error, ...signed } = nodeReceiptOf(ran)
  const receipt = 'error' in envelope.receipt ? { ...signed, error } : signed
  const shown = Object.entries(shownResult(ran.result)).filter(([name]) => name in beside)
  return [
    ...differing(receipt, envelope.receipt, ''),
    ...differing(Object.fromEntries(shown), beside, ' beside the receipt'),
  ]
}

/** Why an honest receipt may differ all the same. */
function stateProblem(wasm: Uint8Array): string[] {
  try {
    if (checkGuest(wasm).stateless) return []
  } catch (error) {
    if (error instanceof WasmError) return []
    throw error
  }
  return [
    'the module uses storage or other modules, which do not exist here: only a run that began without them can be verified',
  ]
}
