/**
 * The textual formats of the notation, one pattern each.
 *
 * | Format                                       | Shape                                                        |
 * | -------------------------------------------- | ------------------------------------------------------------ |
 * | address                                      | `^0x[0-9a-f]{40}$`                                            |
 * | hash, bytes32, ed25519 public key            | `^0x[0-9a-f]{64}$`                                            |
 * | bytes, calldata                              | `^0x([0-9a-f]{2})*$`                                          |
 * | ed25519 signature                            | `^0x[0-9a-f]{128}$`                                           |
 * | EVM signature                                | `^0x[0-9a-f]{130}$`                                           |
 * | amount                                       | `^(0\|[1-9][0-9]{0,77})$` and below 2^256                      |
 * | nonce of a device or request                 | `^[0-9a-f]{32}$`                                              |
 * | round id                                     | `^(exec\|task):<hash>$`, `^(reward\|epoch):<hash>:[0-9]+:[0-9]+$` |
 */
export const patterns = {
  address: /^0x[0-9a-f]{40}$/,
  bytes32: /^0x[0-9a-f]{64}$/,
  bytes: /^0x(?:[0-9a-f]{2})*$/,
  ed25519Signature: /^0x[0-9a-f]{128}$/,
  evmSignature: /^0x[0-9a-f]{130}$/,
  amount: /^(0|[1-9][0-9]{0,77})$/,
  nonce: /^[0-9a-f]{32}$/,
  roundId: /^(?:(?:exec|task):0x[0-9a-f]{64}|(?:reward|epoch):0x[0-9a-f]{64}:[0-9]+:[0-9]+)$/,
} as const

/** The address that nobody holds the key of. */
export const zeroAddress: string = `0x${'00'.repeat(20)}`

/** Thrown when a value given to an encoder does not have the shape of its field. Maps to `invalid_field`. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly code = 'invalid_field'
  readonly field: string

  constructor(field: string, expected: string) {
    super(`The field "${field}" must be ${expected}.`)
    this.field = field
  }
}

/** Whether the value is an address: `0x` and 40 lower-case hex digits. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && patterns.address.test(value)
}

/** Whether the value has the shape of a hash: `0x` and 64 lower-case hex digits. */
export function isBytes32(value: unknown): value is string {
  return typeof value === 'string' && patterns.bytes32.test(value)
}

/** Whether the value is bytes: `0x` and an even number of lower-case hex digits, possibly none. */
export function isHexBytes(value: unknown): value is string {
  return typeof value === 'string' && patterns.bytes.test(value)
}

/** Whether the value has the shape of an ed25519 signature, 64 bytes. The range of S is checked in section 3. */
export function isEd25519Signature(value: unknown): value is string {
  return typeof value === 'string' && patterns.ed25519Signature.test(value)
}

/** Whether the value has the shape of a secp256k1 signature `r ‖ s ‖ v`, 65 bytes. */
export function isEvmSignature(value: unknown): value is string {
  return typeof value === 'string' && patterns.evmSignature.test(value)
}

/** Whether the value is an amount in wei: a decimal string without leading zero, below 2^256. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && patterns.amount.test(value) && BigInt(value) < 2n ** 256n
}

/** Whether the value is the nonce of a device record or a signed request: 32 hex digits without `0x`. */
export function isNonce(value: unknown): value is string {
  return typeof value === 'string' && patterns.nonce.test(value)
}

/** Whether the value is a round id of any of the four kinds. */
export function isRoundId(value: unknown): value is string {
  return typeof value === 'string' && patterns.roundId.test(value)
}

/** Whether the value is an integer that canonical JSON can carry and that is not negative. */
export function isUnsigned(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0)
}

/** Whether the value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether an object has exactly these members, in any order. */
export function hasExactKeys(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
}
