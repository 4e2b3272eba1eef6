import { quorum } from '../protocol/committees/index.ts'
import { buildPayoutTree, epochReceiptText, hashEpochReceipt } from '../protocol/earnings/index.ts'
import { encodeCanonicalJson, utf8 } from '../protocol/encoding/index.ts'
import { hashEvents, hashPayload, hashReceipt, receiptText } from '../protocol/execution/index.ts'
import { deriveNodeId, type Profile } from '../protocol/identity/index.ts'
import { verifyEd25519 } from '../protocol/signatures/index.ts'
import type { Schemas } from './operations.ts'
import type { TaskInput } from './tasks.ts'

/** The answer of `GET /v1/explorer/receipts/{receipt_hash}`, or its `receipt` alone. */
export type Receipt = Schemas['ReceiptLookup'] | Schemas['ReceiptLookup']['receipt']

/** Facts that you know about a run. Members that are given are compared with the receipt. */
export interface Evidence {
  readonly receipt_hash?: string | null
  readonly module_address?: string
  readonly function?: string
  readonly input?: TaskInput
  /** Output of a run that succeeded. */
  readonly output?: Uint8Array | string | null
  /** The output in base64, which counts in place of `output`: a task has it if the bytes are not text. */
  readonly output_b64?: string | undefined
  readonly events?: readonly { readonly name: string; readonly data?: unknown }[] | null
  readonly gas_used?: number | null
  readonly success?: boolean | null
  /** Public keys whose signatures you wait for, such as those of the validators of the epoch. */
  readonly signer_keys?: readonly string[]
  /** How many of them must have signed. Default: more than two thirds; of a run, which has one signature, 1. */
  readonly quorum?: number
}

/** A node whose signature verifies. */
export interface ReceiptSigner {
  readonly node_id: string
  readonly public_key: string
  /** Whether `signer_keys` has the key. If not, all that is known is that somebody has a key. */
  readonly isExpected: boolean
}

export interface Verification {
  /** Nothing that was checked differs, and a signature or a part of the evidence was checked. */
  readonly holds: boolean
  /** One sentence for each thing that differs. */
  readonly problems: readonly string[]
  /** Names of the parts that were compared or recomputed: members of the receipt, `signatures`, `quorum`. */
  readonly checked: readonly string[]
  /** Nodes whose signatures verify, each once. */
  readonly signers: readonly ReceiptSigner[]
  /** As recomputed; empty if it is not a receipt. */
  readonly receipt_hash: string
}

/**
 * Recomputes the hash of a receipt, and for an epoch its sums and the root of its payouts; compares these with the known facts
 * of the run; checks every signature that comes with it. A receipt names its keys itself: that they belong to
 * validators is checked only if `signer_keys` names these. An answer that is not a receipt does not hold.
 */
export function verifyReceipt(profile: Profile, given: Receipt, evidence: Evidence = {}): Verification {
  try {
    const receipt = readable(() => ('kind' in given ? given.receipt : given))
    return readable(() => 'attestations' in receipt)
      ? verifyEpochReceipt(profile, receipt as Schemas['AttestedEpochReceipt'], evidence)
      : verifyExecution(profile, receipt as Schemas['ReceiptEnvelope'], evidence)
  } catch (error) {
    if (!(error instanceof NotAReceipt)) throw error
    const problems = [`it is not a receipt: ${error.message}`]
    return { holds: false, problems, checked: [], signers: [], receipt_hash: '' }
  }
}

class NotAReceipt extends Error {}

/** Reads a part of a receipt, which a hub may answer in any form. @throws {@link NotAReceipt} */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new NotAReceipt((error as Error).message)
  }
}

interface Signature {
  readonly node_id: string
  readonly public_key: string
  readonly signature: string
}

function verifyExecution(
  profile: Profile,
  { receipt, node_id, public_key, signature }: Schemas['ReceiptEnvelope'],
  evidence: Evidence,
): Verification {
  const hash = readable(() => hashReceipt(receipt))
  const { output, output_b64, input, events } = evidence
  const bytes = output_b64 === undefined ? output : fromBase64(output_b64)
  const faults =
    receipt.success && bytes === null && output_b64 !== undefined ? ['the output is not base64'] : []
  const known = {
    receipt_hash: evidence.receipt_hash,
    module_address: evidence.module_address,
    function: evidence.function,
    input_hash: input === undefined ? undefined : hashPayload(bytesOf(input)),
    output_hash: receipt.success ? outputHash(bytes) : null,
    events_hash: events ? hashEvents(events as Parameters<typeof hashEvents>[0]) : undefined,
    gas_used: evidence.gas_used,
    success: evidence.success,
  }
  const isSigned = node_id !== undefined && public_key !== undefined && signature !== undefined
  return verificationOf(profile, evidence, known, {
    hash,
    stated: receipt,
    // A run that failed has the hash of no output.
    rules: receipt.success ? {} : { output_hash: hashPayload(new Uint8Array()) },
    text: receiptText(profile, hash),
    signatures: isSigned ? [{ node_id, public_key, signature }] : [],
    quorumOf: () => 1,
    faults,
  })
}

function verifyEpochReceipt(
  profile: Profile,
  receipt: Schemas['AttestedEpochReceipt'],
  evidence: Evidence,
): Verification {
  const hash = readable(() => hashEpochReceipt(receipt))
  const { project_id, round, compute_units, totals } = receipt
  const sum = (amounts: readonly (string | number)[]) => amounts.reduce((all, one) => all + BigInt(one), 0n)
  const [rules, signatures] = readable(() => {
    const miner = sum(compute_units.map(({ amount }) => amount))
    return [
      {
        chain_id: profile.chain_id,
        merkle_root: buildPayoutTree(project_id, round, compute_units)?.root ?? '',
        'totals.units': Number(sum(compute_units.map(({ units }) => units))),
        'totals.miner': String(miner),
        'totals.gross': String(miner + sum([totals.developer, totals.treasury])),
      },
      receipt.attestations.map(({ node_id, public_key, signature }) => ({ node_id, public_key, signature })),
    ] as const
  })
  return verificationOf(
    profile,
    evidence,
    { receipt_hash: evidence.receipt_hash },
    {
      hash,
      stated: {
        ...receipt,
        'totals.units': totals.units,
        'totals.miner': totals.miner,
        'totals.gross': totals.gross,
      },
      rules,
      text: epochReceiptText(profile, hash),
      signatures,
      quorumOf: quorum,
    },
  )
}

/** The members that a receipt states, and those that are recomputed from it. */
interface Recomputed {
  readonly hash: string
  readonly stated: { readonly receipt_hash: string; readonly [member: string]: unknown }
  readonly rules: object
  /** Signed by its signers. */
  readonly text: string
  readonly signatures: readonly Signature[]
  /** How many of `keys` keys must have signed. */
  readonly quorumOf: (keys: number) => number
  /** Problems of the evidence. */
  readonly faults?: readonly string[]
}

function verificationOf(
  profile: Profile,
  { signer_keys, quorum: wanted }: Evidence,
  known: object,
  { hash, stated, rules, text, signatures, quorumOf, faults = [] }: Recomputed,
): Verification {
  const own = { ...stated, receipt_hash: hash }
  const evident = Object.entries(known).filter(([, value]) => value !== undefined && value !== null)
  const computed = Object.entries(rules)
  const problems = [...evident, ...computed].flatMap(([name, value]) => {
    const other = (own as Record<string, unknown>)[name]
    return value === other ? [] : [`${name} is ${JSON.stringify(other)}, not ${JSON.stringify(value)}`]
  })
  problems.push(...faults)
  if (stated.receipt_hash !== hash) problems.push('receipt_hash is not the hash of the receipt')

  const expected = new Set(signer_keys)
  const signers = new Map<string, ReceiptSigner>()
  for (const { node_id, public_key, signature } of signatures)
    if (!verifyEd25519(public_key, text, signature))
      problems.push(`the signature of ${node_id} does not verify`)
    else if (deriveNodeId(profile, public_key) !== node_id)
      problems.push(`the node id ${node_id} does not belong to its public key`)
    else signers.set(public_key, { node_id, public_key, isExpected: expected.has(public_key) })
  if (signer_keys !== undefined) {
    const signed = [...signers.values()].filter(({ isExpected }) => isExpected).length
    const needed = wanted ?? quorumOf(expected.size)
    if (signed < Math.max(1, needed))
      problems.push(`${signed} of the ${expected.size} expected keys signed it, not ${needed}`)
  }
  if (evident.length === 0 && signatures.length === 0)
    problems.push('it has no signature, and no evidence was given: nothing says that it is right')
  const names = ['receipt_hash', ...[...evident, ...computed].map(([name]) => name)]
  if (signatures.length > 0) names.push('signatures')
  if (signer_keys !== undefined) names.push('quorum')
  return {
    holds: problems.length === 0,
    problems,
    checked: [...new Set(names)],
    signers: [...signers.values()],
    receipt_hash: hash,
  }
}

const outputHash = (output: Evidence['output']): string | undefined =>
  output === undefined || output === null ? undefined : hashPayload(bytesOf(output))

/** Null for a text that is not base64: the output of a task comes from the hub, in any form. */
function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** As the hub passes an input to the module. */
const bytesOf = (value: TaskInput): Uint8Array => {
  if (value instanceof Uint8Array) return value
  return utf8(typeof value === 'string' ? value : encodeCanonicalJson(value))
}
