import { ed25519 } from '@noble/curves/ed25519'
import { sha512 } from '@noble/hashes/sha2'
import {
  bytesToHex,
  bytesToUnsigned,
  concatBytes,
  equalBytes,
  type Hex,
  hexToBytes,
  isBytes32,
  isEd25519Signature,
  raw32,
  utf8,
} from '../encoding/index.ts'

const fieldPrime = 2n ** 255n - 19n
/** Order L of the base point. */
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

const Point = ed25519.ExtendedPoint
type CurvePoint = InstanceType<typeof Point>

/**
 * Whether a public key may sign: 32 bytes that decode strictly to a curve point of large order.
 *
 * Check it when a key is registered and before every native verification. The verifiers of Node and workerd accept
 * `R = 0100…00, S = 0` under the identity key for every message, and other low-order keys for many.
 */
export function isEd25519PublicKey(value: unknown): value is string {
  return isBytes32(value) && decodePublicKey(value) !== null
}

function decodePublicKey(publicKey: string): CurvePoint | null {
  const bytes = hexToBytes(publicKey)
  if (yOf(bytes) >= fieldPrime) return null
  try {
    // The strict decoder (the default, not ZIP 215) refuses x = 0 with the sign bit set and points off the curve.
    const point = Point.fromHex(bytes)
    return point.isSmallOrder() ? null : point
  } catch {
    return null
  }
}

/** The y of a key, without the last bit, which is the sign of x. */
const yOf = (key: Uint8Array): bigint => bytesToUnsigned(key.slice().reverse()) & (2n ** 255n - 1n)

/**
 * Whether a signature has 64 bytes and S < L. Without the bound on S every signature has a second valid spelling.
 * With {@link isEd25519PublicKey} this is what a caller checks before it uses a native verifier.
 */
export function isCanonicalEd25519Signature(value: unknown): value is string {
  if (!isEd25519Signature(value)) return false
  // Most are below 2^252, and L is above it.
  return value[128] === '0' || scalarOf(hexToBytes(value)) < groupOrder
}

const scalarOf = (signature: Uint8Array): bigint => bytesToUnsigned(signature.slice(32).reverse())

/** The type of {@link verifyEd25519}. Functions that verify many signatures take another verifier with the same outcome. */
export type Ed25519Verifier = (
  publicKey: unknown,
  message: string | Uint8Array,
  signature: unknown,
) => boolean

const order8Y = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
/** The y of every point of small order, whatever its x. */
const smallOrderY = new Set([0n, 1n, fieldPrime - 1n, order8Y, fieldPrime - order8Y])

/** The functions of a runtime that a verifier needs: read a key once, and verify without the cofactor, R compared as bytes. */
export interface RuntimeEd25519<Key> {
  readonly readKey: (bytes: Uint8Array) => Key
  readonly verify: (key: Key, message: Uint8Array, signature: Uint8Array) => boolean
}

/** Keys that a verifier keeps: those of a round sign again in the next. */
const keptKeysMax = 1_000

/**
 * A verifier that has the runtime do what costs most: with the outcome of {@link verifyEd25519}, at a fifth of its cost or
 * less. The verifiers of runtimes refuse keys off the curve, but take keys of small order, and some take y or S beyond its
 * bound, so these are looked at first.
 */
export function strictEd25519Verifier<Key>({ readKey, verify }: RuntimeEd25519<Key>): Ed25519Verifier {
  const keys = new Map<string, Key>()
  const keyOf = (publicKey: string): Key | null => {
    const known = keys.get(publicKey)
    if (known !== undefined) return known
    const bytes = hexToBytes(publicKey)
    const y = yOf(bytes)
    if (y >= fieldPrime || smallOrderY.has(y)) return null
    const key = readKey(bytes)
    if (keys.size >= keptKeysMax) keys.delete(keys.keys().next().value!)
    keys.set(publicKey, key)
    return key
  }
  return (publicKey, message, signature) => {
    if (!isBytes32(publicKey) || !isCanonicalEd25519Signature(signature)) return false
    const key = keyOf(publicKey)
    if (key === null) return false
    return verify(key, typeof message === 'string' ? utf8(message) : message, hexToBytes(signature))
  }
}

/**
 * Verifies an ed25519 signature by RFC 8032 over the message bytes, no pre-hash, no context.
 *
 * The equation is `[S]B = R + [k]A` without the cofactor, R compared as bytes, as the native verifiers do. The library's
 * own verify multiplies by the cofactor and would accept signatures that they refuse.
 *
 * @param publicKey `0x` and 64 hex digits.
 * @param message A text (its UTF-8 bytes) or bytes.
 * @param signature `0x` and 128 hex digits.
 * @returns false for anything malformed; it never throws.
 */
export function verifyEd25519(publicKey: unknown, message: string | Uint8Array, signature: unknown): boolean {
  if (!isBytes32(publicKey) || !isCanonicalEd25519Signature(signature)) return false
  const key = decodePublicKey(publicKey)
  if (key === null) return false
  const bytes = hexToBytes(signature)
  const r = bytes.slice(0, 32)
  const content = typeof message === 'string' ? utf8(message) : message
  const digest = sha512(concatBytes(r, hexToBytes(publicKey), content))
  const k = bytesToUnsigned(digest.slice().reverse()) % groupOrder
  const expected = Point.BASE.multiplyUnsafe(scalarOf(bytes)).add(key.multiplyUnsafe(k).negate())
  return equalBytes(expected.toRawBytes(), r)
}

/**
 * Signs a text or bytes with an ed25519 seed of 32 bytes. Deterministic.
 * @throws {@link FormatError} unless the seed is `0x` and 64 hex digits.
 */
export function signEd25519(seed: string, message: string | Uint8Array): Hex {
  const content = typeof message === 'string' ? utf8(message) : message
  return bytesToHex(ed25519.sign(content, raw32(seed, 'seed')))
}

/** A key that signs texts without showing its seed, such as one of a runtime. */
export interface Ed25519Signer {
  readonly publicKey: Hex
  readonly sign: (message: string) => Hex
}

/** A key that signs: a seed, or a signer of the same outcome. */
export type SigningKey = string | Ed25519Signer

/** @throws {@link FormatError} for a malformed seed. */
export const ed25519Signer = (key: SigningKey): Ed25519Signer =>
  typeof key === 'string'
    ? { publicKey: ed25519PublicKey(key), sign: (message) => signEd25519(key, message) }
    : key

/** The public key of an ed25519 seed. Throws {@link FormatError} unless the seed is `0x` and 64 hex digits. */
export const ed25519PublicKey = (seed: string): Hex => bytesToHex(ed25519.getPublicKey(raw32(seed, 'seed')))
