import { Buffer } from 'node:buffer'

/** Base64 of the standard alphabet in its one spelling with padding, or null: nothing is guessed or skipped. */
export function base64ToBytes(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64')
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  if (bytes.length !== (text.length / 4) * 3 - padding) return null
  // Only the last group can be spelt in several ways: its unused bits are zero.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64')
  return text.endsWith(tail) ? bytes : null
}
