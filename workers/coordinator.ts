import type { Attestation } from '../protocol/committees/index.ts'
import { deriveNodeId, signRequest } from '../protocol/identity/index.ts'
import { randomNonce } from './auth/random.ts'
import type { Settings } from './env.ts'
import { nativeSigner } from './native-ed25519.ts'

export interface CoordinatorRequest {
  method: 'GET' | 'POST'
  target: string
  body: string | Uint8Array
  /** Network time. */
  timestamp: number
}

/** The hub as nodes know it: the sender of work, and never a voter. */
export interface Coordinator {
  nodeId: string
  publicKey: string
  sign(request: CoordinatorRequest): Record<string, string>
  attest(text: string): Attestation
}

export function createCoordinator(
  settings: Pick<Settings, 'PROFILE' | 'COORDINATOR_SEED'>,
): Coordinator | null {
  const { PROFILE: profile, COORDINATOR_SEED: seed } = settings
  if (seed === undefined) return null
  const signer = nativeSigner(seed)
  const { publicKey } = signer
  const nodeId = deriveNodeId(profile, publicKey)
  return {
    nodeId,
    publicKey,
    attest: (text) => ({ node_id: nodeId, public_key: publicKey, signature: signer.sign(text) }),
    sign: (request) => signRequest(profile, signer, { ...request, nonce: randomNonce() }).headers,
  }
}
