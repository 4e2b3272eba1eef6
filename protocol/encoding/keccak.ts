import { keccak_256 } from '@noble/hashes/sha3'
import { utf8 } from './bytes.ts'
import { bytesToHex, type Hex } from './hex.ts'

/**
 * Hashes the parts joined with nothing between: `H(a ‖ b ‖ …)` of the notation, keccak-256 with the original padding.
 * @returns `0x` and 64 lower-case hex digits.
 */
export const hashBytes = (...parts: readonly Uint8Array[]): Hex => bytesToHex(keccakList(parts))

/** As {@link hashBytes}, as 32 bytes: the form a hash has inside `‖`. */
export const keccakBytes = (...parts: readonly Uint8Array[]): Uint8Array => keccakList(parts)

/** Like {@link keccakBytes} for a list of any length: more arguments than a stack holds would end the program. */
export function keccakList(parts: readonly Uint8Array[]): Uint8Array {
  const hash = keccak_256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Hashes the UTF-8 bytes of a text: `H(text(s))`. */
export const hashText = (text: string): Hex => hashBytes(utf8(text))
