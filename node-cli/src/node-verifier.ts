import { createHash, createPublicKey, verify } from 'node:crypto'
import {
  deriveNodeId,
  type Profile,
  type ReceivedRequest,
  type RequestSignature,
  requestText,
} from '../../protocol/identity/index.ts'
import { strictEd25519Verifier } from '../../protocol/signatures/index.ts'

/** SubjectPublicKeyInfo of an ed25519 key, up to its 32 bytes (RFC 8410). */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

/** `verifyEd25519` of the protocol, natively, at a twentieth of its cost. */
export const verifyNatively = strictEd25519Verifier({
  readKey: (bytes) => createPublicKey({ key: Buffer.concat([spkiHead, bytes]), format: 'der', type: 'spki' }),
  verify: (key, message, signature) => verify(null, message, key, signature),
})

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/** The check of `verifyRequestSignature`, natively. */
export function verifyNodeSignature(
  profile: Profile,
  request: ReceivedRequest,
  { node_id, public_key, timestamp, nonce, signature }: RequestSignature,
): boolean {
  return (
    deriveNodeId(profile, public_key) === node_id &&
    verifyNatively(public_key, requestText(profile, { ...request, timestamp, nonce }, sha256), signature)
  )
}
