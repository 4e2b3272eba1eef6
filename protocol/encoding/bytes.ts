import { FormatError } from './formats.ts'

const encoder = new TextEncoder()

/** The UTF-8 bytes of a text: `text(s)` of the notation. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Joins byte strings with nothing between: `a ‖ b` of the notation. */
export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => joinBytes(parts)

/** Like {@link concatBytes} for a list of any length: more arguments than a stack holds would end the program. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/**
 * An unsigned integer of a fixed width, big-endian. `u16`, `u32` and `u64` of the notation are its shorthands.
 * @throws {@link FormatError} when the value is not an integer or does not fit.
 */
export function unsignedBytes(value: number | bigint, width: number, field = 'integer'): Uint8Array {
  const expected = `an unsigned integer of ${8 * width} bits`
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new FormatError(field, expected)
  let rest = BigInt(value)
  if (rest < 0n || rest >> BigInt(8 * width) !== 0n) throw new FormatError(field, expected)
  const bytes = new Uint8Array(width)
  for (let i = width - 1; i >= 0; i--) {
    bytes[i] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return bytes
}

export const u16 = (value: number | bigint, field?: string): Uint8Array => unsignedBytes(value, 2, field)
export const u32 = (value: number | bigint, field?: string): Uint8Array => unsignedBytes(value, 4, field)
export const u64 = (value: number | bigint, field?: string): Uint8Array => unsignedBytes(value, 8, field)

/** Reads bytes as one unsigned integer, big-endian. No bytes give 0. */
export function bytesToUnsigned(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

/** Whether two byte strings are equal. Not constant-time: use it for public values only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
