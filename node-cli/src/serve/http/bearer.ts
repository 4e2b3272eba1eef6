import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares a text with a token; how long it takes says nothing about either. */
export function bearerCheck(token: string): (text: string) => boolean {
  // Hashes have one length, which the comparison needs.
  const expected = digest(token)
  return (text) => timingSafeEqual(digest(text), expected)
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
