import { isAddress } from './formats.ts'
import { raw20 } from './hex.ts'
import { hashText } from './keccak.ts'

/**
 * Writes an address with the checksum of EIP-55: a letter is upper case where the hash of the 40 lower-case digits has a
 * digit of 8 or more. Sign-in texts are the only place of the protocol that uses it; everywhere else addresses are lower case.
 * @throws {@link FormatError} unless the address is in lower case.
 */
export function checksumAddress(address: string): string {
  raw20(address)
  const digits = address.slice(2)
  const hash = hashText(digits).slice(2)
  return `0x${Array.from(digits, (digit, i) => (hash[i]! >= '8' ? digit.toUpperCase() : digit)).join('')}`
}

/** Whether an address has a typing error: a spelling in mixed case carries a checksum; one in a single case has none. */
export const hasWrongChecksum = (text: string): boolean => {
  const digits = text.slice(2)
  return /[a-f]/.test(digits) && /[A-F]/.test(digits) && parseChecksumAddress(text) === null
}

/** Reads an address with its EIP-55 checksum. Returns it in lower case, or null when the checksum does not fit. */
export function parseChecksumAddress(text: string): string | null {
  const address = text.toLowerCase()
  return isAddress(address) && checksumAddress(address) === text ? address : null
}
