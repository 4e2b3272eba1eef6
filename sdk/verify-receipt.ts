import { epochReceiptText, hashEpochReceipt } from '../protocol/earnings/index.ts'
import { encodeCanonicalJson, utf8 } from '../protocol/encoding/index.ts'
import { hashEvents, hashPayload, hashReceipt, receiptText } from '../protocol/execution/index.ts'
import { deriveNodeId, type Profile } from '../protocol/identity/index.ts'
import { verifyEd25519 } from '../protocol/signatures/index.ts'
import type { Schemas } from './operations.ts'
import type { TaskInput } from './tasks.ts'

/** What `GET /v1/explorer/receipts/{receipt_hash}` answers, or its `receipt` alone. */
export type Receipt = Schemas['ReceiptLookup'] | Schemas['ReceiptLookup']['receipt']

/** What you know of a run yourself. What is given is compared with the receipt. */
export interface Evidence {
  readonly receipt_hash?: string | null
  readonly module_address?: string
  readonly function?: string
  readonly input?: TaskInput
  /** Of a run that succeeded. */
  readonly output?: Uint8Array | string | null
  readonly events?: readonly { readonly name: string; readonly data?: unknown }[] | null
  readonly gas_used?: number | null
  readonly success?: boolean | null
}

export interface Verification {
  readonly holds: boolean
  /** One sentence for each thing that differs. */
  readonly problems: readonly string[]
  /** As recomputed. */
  readonly receipt_hash: string
}

/**
 * Recomputes the hash of a receipt and compares it with what is known of the run; checks every signature that comes with
 * it. A quorum of validators is beyond that: section 19 of the protocol has its rules.
 */
export function verifyReceipt(profile: Profile, given: Receipt, evidence: Evidence = {}): Verification {
  const receipt = 'kind' in given ? given.receipt : given
  return 'attestations' in receipt
    ? verifyEpochReceipt(profile, receipt, evidence)
    : verifyExecution(profile, receipt, evidence)
}

const signatureProblem = (profile: Profile, text: string, signer: Signer): string[] => {
  if (!verifyEd25519(signer.public_key, text, signer.signature))
    return [`the signature of ${signer.node_id} does not verify`]
  return deriveNodeId(profile, signer.public_key) === signer.node_id
    ? []
    : [`the node id ${signer.node_id} does not belong to its public key`]
}

interface Signer {
  readonly node_id: string
  readonly public_key: string
  readonly signature: string
}

function verifyExecution(
  profile: Profile,
  envelope: Schemas['ReceiptEnvelope'],
  evidence: Evidence,
): Verification {
  const { receipt, node_id, public_key, signature } = envelope
  const hash = hashReceipt(receipt)
  const problems = differences(
    {
      receipt_hash: evidence.receipt_hash,
      module_address: evidence.module_address,
      function: evidence.function,
      input_hash: evidence.input === undefined ? undefined : hashPayload(bytesOf(evidence.input)),
      output_hash: outputHash(receipt, evidence),
      events_hash: evidence.events
        ? hashEvents(evidence.events as Parameters<typeof hashEvents>[0])
        : undefined,
      gas_used: evidence.gas_used,
      success: evidence.success,
    },
    { ...receipt, receipt_hash: hash },
  )
  if (receipt.receipt_hash !== hash) problems.push('receipt_hash is not the hash of the receipt')
  if (node_id !== undefined && public_key !== undefined && signature !== undefined)
    problems.push(
      ...signatureProblem(profile, receiptText(profile, hash), { node_id, public_key, signature }),
    )
  return { holds: problems.length === 0, problems, receipt_hash: hash }
}

function verifyEpochReceipt(
  profile: Profile,
  receipt: Schemas['AttestedEpochReceipt'],
  evidence: Evidence,
): Verification {
  const hash = hashEpochReceipt(receipt)
  const problems = differences({ receipt_hash: evidence.receipt_hash }, { receipt_hash: hash })
  if (receipt.receipt_hash !== hash) problems.push('receipt_hash is not the hash of the receipt')
  for (const attestation of receipt.attestations)
    problems.push(...signatureProblem(profile, epochReceiptText(profile, hash), attestation))
  return { holds: problems.length === 0, problems, receipt_hash: hash }
}

/** A run that failed has the hash of no output. */
function outputHash({ success }: { success: boolean }, { output }: Evidence): string | undefined {
  if (!success) return hashPayload(new Uint8Array())
  return output === undefined || output === null ? undefined : hashPayload(bytesOf(output))
}

/** As the hub passes an input to the module. */
const bytesOf = (value: TaskInput): Uint8Array => {
  if (value instanceof Uint8Array) return value
  return utf8(typeof value === 'string' ? value : encodeCanonicalJson(value))
}

const differences = (known: object, stated: object): string[] =>
  Object.entries(known).flatMap(([name, value]) => {
    const other = (stated as Record<string, unknown>)[name]
    return value === undefined || value === null || value === other
      ? []
      : [`${name} is ${JSON.stringify(other)}, not ${JSON.stringify(value)}`]
  })
