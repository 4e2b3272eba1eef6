/** The textual formats of the notation. An amount is also below 2^256. */
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

/** A test for texts of a shape. */
export function isMatching(pattern: RegExp): (value: unknown) => value is string {
  return (value): value is string => typeof value === 'string' && pattern.test(value)
}

/** A test for the members of a list. */
export function isOneOf<Member>(members: readonly Member[]): (value: unknown) => value is Member {
  const known: readonly unknown[] = members
  return (value): value is Member => known.includes(value)
}

/** Whether the value is an address: `0x` and 40 lower-case hex digits. */
export const isAddress = isMatching(patterns.address)

/** Whether the value has the shape of a hash: `0x` and 64 lower-case hex digits. */
export const isBytes32 = isMatching(patterns.bytes32)

/** Whether the value is bytes: `0x` and an even number of lower-case hex digits, possibly none. */
export const isHexBytes = isMatching(patterns.bytes)

/** Whether the value has the shape of an ed25519 signature, 64 bytes. The range of S is checked in section 3. */
export const isEd25519Signature = isMatching(patterns.ed25519Signature)

/** Whether the value has the shape of a secp256k1 signature `r ‖ s ‖ v`, 65 bytes. */
export const isEvmSignature = isMatching(patterns.evmSignature)

/** Whether the value is an amount in wei: a decimal string without leading zero, below 2^256. */
export function isAmount(value: unknown): value is string {
  return isMatching(patterns.amount)(value) && BigInt(value) < 2n ** 256n
}

/** Whether the value is the nonce of a device record or a signed request: 32 hex digits without `0x`. */
export const isNonce = isMatching(patterns.nonce)

/** Whether the value is a round id of any of the four kinds. */
export const isRoundId = isMatching(patterns.roundId)

/** Whether the value is an integer that canonical JSON can carry and that is not negative. */
export function isUnsigned(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0)
}

/** Whether the value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value is a text that UTF-8 can carry. */
export function isWellFormedText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed()
}

/** A test for each member of an object. */
export type Shape = Readonly<Record<string, (value: unknown) => boolean>>

/** Whether the value is an object with exactly the members of a shape, each as the shape says. */
export function hasShape(value: unknown, shape: Shape): boolean {
  if (!isObject(value)) return false
  let members = 0
  for (const key in shape) {
    if (!Object.hasOwn(value, key) || !shape[key]!(value[key])) return false
    members += 1
  }
  return Object.keys(value).length === members
}

/** A test for one value. */
export const isExactly =
  (expected: unknown): ((value: unknown) => boolean) =>
  (value) =>
    value === expected

/** Whether an object has exactly these members, in any order. */
export function hasExactKeys(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
}
