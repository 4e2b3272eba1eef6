import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, isBytes32, isEd25519Signature, isMatching, isNonce, utf8 } from '../encoding/index.ts'
import {
  type Ed25519Verifier,
  ed25519Signer,
  isEd25519PublicKey,
  type SigningKey,
  verifyEd25519,
} from '../signatures/index.ts'
import { deriveNodeId, isNodeId } from './ids.ts'
import { type Profile, profileStrings } from './profile.ts'

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string
  /** Exactly as sent: path, and `?` with the query string when there is one. */
  readonly target: string
  /** Unix seconds. */
  readonly timestamp: number
  /** 32 hex digits without `0x`, fresh for each request. */
  readonly nonce: string
  /** Raw body; empty for a request without one, such as GET. */
  readonly body: string | Uint8Array
}

/**
 * Writes the text that a node signs for a request (section 10), lines joined by LF: `<prefix>-node-req-v1`, method in upper
 * case, target, timestamp, nonce, and SHA-256 of the raw body as 64 hex digits without `0x`.
 * @param hashBody SHA-256, for callers that have a faster one: bodies may have tens of megabytes.
 */
export function requestText(
  profile: Profile,
  request: SignedRequest,
  hashBody: (body: Uint8Array) => Uint8Array = sha256,
): string {
  const body = typeof request.body === 'string' ? utf8(request.body) : request.body
  return [
    profileStrings(profile).request_line,
    request.method.toUpperCase(),
    request.target,
    String(request.timestamp),
    request.nonce,
    bytesToHex(hashBody(body)).slice(2),
  ].join('\n')
}

/**
 * Signs a request with the key of a node.
 * @returns The signed text and the five headers to send.
 * @throws {@link FormatError} for a malformed seed.
 */
export function signRequest(
  profile: Profile,
  key: SigningKey,
  request: SignedRequest,
): { readonly message: string; readonly headers: Record<string, string> } {
  const { publicKey, sign } = ed25519Signer(key)
  const names = profileStrings(profile)
  const message = requestText(profile, request)
  return {
    message,
    headers: {
      [names.node_header]: deriveNodeId(profile, publicKey),
      [names.public_key_header]: publicKey,
      [names.timestamp_header]: String(request.timestamp),
      [names.nonce_header]: request.nonce,
      [names.signature_header]: sign(message),
    },
  }
}

/** Reads a header by name, whatever its case; null or undefined when it is absent. */
export type HeaderReader = (name: string) => string | null | undefined

/** The five headers of a signed request, well formed and in time; nothing is verified yet. */
export interface RequestSignature {
  readonly node_id: string
  readonly public_key: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly nonce: string
  readonly signature: string
}

/**
 * The checks of section 10 that need no body: all five headers are present and well formed, and
 * `|now − timestamp| ≤ max_skew`.
 *
 * @param now Unix seconds.
 * @param maxSkew Parameter `max_skew` of the network, in seconds.
 * @returns Null if one of them fails, which is `unauthorized`.
 */
export function readRequestSignature(
  profile: Profile,
  header: HeaderReader,
  now: number,
  maxSkew: number,
): RequestSignature | null {
  const names = profileStrings(profile)
  const nodeId = header(names.node_header)
  const publicKey = header(names.public_key_header)
  const timestampText = header(names.timestamp_header)
  const nonce = header(names.nonce_header)
  const signature = header(names.signature_header)
  if (
    !isNodeId(profile, nodeId) ||
    !isBytes32(publicKey) ||
    !isDecimalSeconds(timestampText) ||
    !isNonce(nonce) ||
    !isEd25519Signature(signature)
  )
    return null

  const timestamp = Number(timestampText)
  if (Math.abs(now - timestamp) > maxSkew) return null
  return { node_id: nodeId, public_key: publicKey, timestamp, nonce, signature }
}

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  readonly target: string
  readonly body: string | Uint8Array
}

/**
 * Whether the key passes section 3 and derives the node id, and the signature verifies; a failure is `bad_signature`.
 * The last check of section 10 is the caller's: it stores (public key, nonce) in one atomic step, and answers
 * `unauthorized` when the pair was stored within the last `2 × max_skew` seconds.
 * @param signature As {@link readRequestSignature} gave it.
 */
export function verifyRequestSignature(
  profile: Profile,
  { method, target, body }: ReceivedRequest,
  { node_id, public_key, timestamp, nonce, signature }: RequestSignature,
  verify: Ed25519Verifier = verifyEd25519,
): boolean {
  return (
    isEd25519PublicKey(public_key) &&
    deriveNodeId(profile, public_key) === node_id &&
    verify(public_key, requestText(profile, { method, target, timestamp, nonce, body }), signature)
  )
}

/** Decimal without leading zero and within the safe integers, so that number and text name the same second. */
const isDecimalSeconds = isMatching(/^(?:0|[1-9][0-9]{0,14})$/)
