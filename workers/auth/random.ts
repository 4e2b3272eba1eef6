import { bytesToHex, bytesToUnsigned } from '../../protocol/encoding/index.ts'
import { bytesToBase64Url } from '../http/base64.ts'

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random characters of `[A-Za-z0-9]`, each equally likely. */
export function randomAlphanumerics(length: number): string {
  // Bytes from this bound on are thrown away: with them the first letters would come up more often.
  const bound = 256 - (256 % alphanumerics.length)
  let text = ''
  while (text.length < length)
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < bound && text.length < length) text += alphanumerics[byte % alphanumerics.length]
  return text
}

/** The characters of `[A-Za-z0-9]` that the last digits of bytes' number stand for; equally likely, as the number has many more. */
export function alphanumericsOf(bytes: Uint8Array, length: number): string {
  const base = BigInt(alphanumerics.length)
  let number = bytesToUnsigned(bytes)
  let text = ''
  while (text.length < length) {
    text += alphanumerics[Number(number % base)]
    number /= base
  }
  return text
}

/** 32 random bytes as 43 base64url characters. */
export const randomSecret = (): string => bytesToBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** The nonce of a device record: 32 random hex digits. */
export const randomNonce = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)
