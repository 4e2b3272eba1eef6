import { Buffer } from 'node:buffer'

export const bytesToBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

export const bytesToBase64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** The one spelling of base64url without padding, or null. */
export function base64UrlToBytes(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

export const base64ToBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'base64'))
