import { createPublicKey, verify } from 'node:crypto'
import { hexToBytes, raw32 } from '../../protocol/encoding/index.ts'
import {
  deriveNodeId,
  type Profile,
  type ReceivedRequest,
  type RequestSignature,
  requestText,
} from '../../protocol/identity/index.ts'
import { isCanonicalEd25519Signature, isEd25519PublicKey } from '../../protocol/signatures/index.ts'

/** SubjectPublicKeyInfo of an ed25519 key, up to its 32 bytes (RFC 8410). */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Verifies an ed25519 signature natively, with the outcome of `protocol/signatures/ed25519.ts` at a twentieth of its cost.
 * The native verifier takes some signatures under keys of small order, and S beyond its bound, so these are looked at first.
 */
export function verifyNatively(publicKey: string, text: string, signature: string): boolean {
  if (!isEd25519PublicKey(publicKey) || !isCanonicalEd25519Signature(signature)) return false
  const key = createPublicKey({
    key: Buffer.concat([spkiHead, raw32(publicKey, 'public_key')]),
    format: 'der',
    type: 'spki',
  })
  return verify(null, Buffer.from(text), key, hexToBytes(signature))
}

/** The check of `verifyRequestSignature`, natively. */
export function verifyNodeSignature(
  profile: Profile,
  request: ReceivedRequest,
  { node_id, public_key, timestamp, nonce, signature }: RequestSignature,
): boolean {
  return (
    deriveNodeId(profile, public_key) === node_id &&
    verifyNatively(public_key, requestText(profile, { ...request, timestamp, nonce }), signature)
  )
}
