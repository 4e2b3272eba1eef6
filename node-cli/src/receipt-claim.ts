import {
  CanonicalJsonError,
  isObject,
  type JsonObject,
  type JsonValue,
  MemberChecker,
  type Problem,
  ProblemList,
  parseStrictJson,
} from '../../protocol/encoding/index.ts'
import packageJson from '../package.json' with { type: 'json' }
import { CliError } from './cli/errors.ts'
import { nameOf, readInput } from './cli/input.ts'
import { limits } from './engine/index.ts'
import type { NodeReceipt, ReceiptEnvelope } from './receipts.ts'

const fileBytesMax = 4 * 1024 * 1024

/** Members that nobody signs: the hub shows receipts without them. */
const unsigned = ['events', 'error'] as const
type Unsigned = (typeof unsigned)[number]

/** Members that an envelope has together, or not at all: no device signs the run of a task that validators run. */
const ofSigner = ['node_id', 'public_key', 'signature'] as const
type OfSigner = (typeof ofSigner)[number]

/** A receipt as nodes print it, or as the hub shows it. */
export interface ClaimedEnvelope extends Pick<ReceiptEnvelope, 'timestamp'> {
  readonly receipt: Omit<NodeReceipt, Unsigned> & Partial<Pick<NodeReceipt, Unsigned>>
  /** Null for the result of validators, for which no device voted. */
  readonly signer: Pick<ReceiptEnvelope, OfSigner> | null
}

/** The statements of a file about a run. */
export interface Claim {
  readonly envelope: ClaimedEnvelope
  /** The object around the envelope, such as the output of `run`; empty for a receipt alone. */
  readonly beside: Readonly<Record<string, unknown>>
  /**
   * The gas limits that the run may have had, and the first decides. The output of `run` states the limit; a receipt does
   * not, but a run has the same receipt when the gas that it used is its limit.
   */
  readonly gasLimits: readonly number[]
}

/**
 * Reads the output of `run`, what a hub says of a receipt, or the envelope of a receipt alone.
 *
 * @throws {@link CliError} for anything else, with what of it cannot be read.
 */
export async function readClaim(file: string): Promise<Claim> {
  const refuse = (what: string) => new CliError('receipt', `${nameOf(file)} holds no receipt${what}`)
  const value = await readJson(file, refuse)
  const whole =
    isObject(value) && isObject(value.receipt) && isObject(value.receipt.receipt) ? value : undefined
  const envelope = whole?.receipt ?? value
  if (!isObject(envelope) || !isObject(envelope.receipt))
    throw refuse(
      '; it must be the output of nodectl run, the answer of a hub about a receipt, or a receipt alone',
    )
  const problems = problemsOf(envelope)
  if (problems.length > 0)
    throw refuse(
      ` of the form that nodectl ${packageJson.version} reads: ${problems.map(({ path, message }) => `${path}: ${message}`).join(' ')}`,
    )
  const claimed = claimedOf(envelope)
  const stated = whole?.gas_limit
  const gasLimits = isGasLimit(stated)
    ? [stated]
    : [...new Set([claimed.receipt.gas_used, limits.gas])].filter(isGasLimit)
  return { envelope: claimed, beside: whole ?? {}, gasLimits }
}

const isSigned = (envelope: JsonObject): boolean => ofSigner.some((name) => name in envelope)

function claimedOf(envelope: JsonObject): ClaimedEnvelope {
  const checked = envelope as unknown as Omit<ClaimedEnvelope, 'signer'> & Pick<ReceiptEnvelope, OfSigner>
  const { receipt, timestamp, ...signer } = checked
  return { receipt, timestamp, signer: isSigned(envelope) ? signer : null }
}

async function readJson(file: string, refuse: (what: string) => CliError): Promise<JsonValue> {
  const bytes = await readInput(file, fileBytesMax)
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (error instanceof CanonicalJsonError)
      throw refuse(`: ${error.path === '' ? error.reason : error.message}`)
    throw error
  }
}

const isGasLimit = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= limits.gas

const isText = (value: unknown): boolean => typeof value === 'string'

/** Each member with its rule, and the message for it. */
type Members<Key extends string = string> = Readonly<
  Record<Key, readonly [keeps: (value: unknown) => boolean, message: string]>
>

const envelopeMembers: Members<keyof ReceiptEnvelope> = {
  receipt: [isObject, 'An object.'],
  node_id: [isText, 'A text.'],
  public_key: [isText, 'A text.'],
  signature: [isText, 'A text.'],
  timestamp: [Number.isSafeInteger, 'A whole number.'],
}

const membersOfReceipt: Members<keyof NodeReceipt> = {
  v: [(value) => value === 1, 'Must be 1.'],
  module_address: [isText, 'A text.'],
  function: [isText, 'A text.'],
  input_hash: [isText, 'A text.'],
  output_hash: [isText, 'A text.'],
  events: [Array.isArray, 'A list.'],
  events_hash: [isText, 'A text.'],
  gas_used: [Number.isSafeInteger, 'A whole number.'],
  success: [(value) => typeof value === 'boolean', 'True or false.'],
  error: [(value) => value === null || isText(value), 'A text or null.'],
  receipt_hash: [isText, 'A text.'],
}

/** The members a receipt has; what else is in one, nobody signed. */
export const receiptMembers: readonly string[] = Object.keys(membersOfReceipt)

function problemsOf(envelope: JsonObject): readonly Problem[] {
  const problems = new ProblemList()
  const check = (object: JsonObject, path: string, members: Members, keys = Object.keys(members)): void => {
    const checker = new MemberChecker(problems, object, path, keys, Object.keys(members))
    for (const [key, [keeps, message]] of Object.entries(members)) checker.check(key, keeps, message)
  }
  const receipt = envelope.receipt as JsonObject
  const { receipt: ofReceipt, timestamp, ...signer } = envelopeMembers
  check(envelope, '', { receipt: ofReceipt, ...(isSigned(envelope) && signer), timestamp })
  const members = Object.entries(membersOfReceipt).filter(
    ([name]) => name in receipt || !(unsigned as readonly string[]).includes(name),
  )
  check(receipt, 'receipt', Object.fromEntries(members), [...receiptMembers, ...Object.keys(receipt)])
  return problems.found()
}
