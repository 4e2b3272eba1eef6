import { FormatError, isAddress, isBytes32, isHexBytes } from './formats.ts'

/** A `0x` value in lower-case hex. Functions return it; they accept plain strings and check the shape themselves. */
export type Hex = `0x${string}`

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Writes bytes as `0x` and lower-case hex; no bytes give `0x`. */
export function bytesToHex(bytes: Uint8Array): Hex {
  let text = ''
  for (const byte of bytes) text += digits[byte]
  return `0x${text}`
}

/**
 * Reads `0x` and an even number of lower-case hex digits.
 *
 * Upper case is refused because hashes and signing texts contain the text itself: two spellings would be two hashes.
 * @throws {@link FormatError} for any other text.
 */
export function hexToBytes(hex: string, field = 'hex'): Uint8Array {
  if (!isHexBytes(hex)) throw new FormatError(field, '0x and lower-case hex bytes')
  const bytes = new Uint8Array(hex.length / 2 - 1)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (digitAt(hex, 2 * i + 2) << 4) | digitAt(hex, 2 * i + 3)
  return bytes
}

/** The value of a digit that is known to be one: `0` has code 48, `a` 97. */
function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at)
  return code < 58 ? code - 48 : code - 87
}

/**
 * The 20 bytes behind an address: `raw20` of the notation.
 * @throws {@link FormatError} unless it matches `^0x[0-9a-f]{40}$`.
 */
export function raw20(address: string, field = 'address'): Uint8Array {
  if (!isAddress(address)) throw new FormatError(field, 'an address in lower case')
  return hexToBytes(address)
}

/**
 * The 32 bytes behind a hash or an ed25519 public key: `raw32` of the notation.
 * @throws {@link FormatError} unless it matches `^0x[0-9a-f]{64}$`.
 */
export function raw32(value: string, field = 'hash'): Uint8Array {
  if (!isBytes32(value)) throw new FormatError(field, '32 bytes in lower-case hex')
  return hexToBytes(value)
}
