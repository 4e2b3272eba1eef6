import { sha256 } from '@noble/hashes/sha2'
import { bytesToBase64Url } from './base64.ts'

/** A strong ETag of a representation. */
export const etagOf = (body: Uint8Array): string => `"${bytesToBase64Url(sha256(body).subarray(0, 18))}"`

/** Whether an `If-None-Match` header names this ETag; the comparison is weak, as RFC 9110 asks for GET. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
