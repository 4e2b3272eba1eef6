import { deriveNodeId, type Profile, signRequestAs } from '../protocol/identity/index.ts'
import { randomNonce } from './auth/random.ts'
import type { Settings } from './env.ts'
import { nativeSigner } from './native-ed25519.ts'

/** A request of the hub to a node. */
export interface CoordinatorRequest {
  method: 'GET' | 'POST'
  /** Path, and query when there is one. */
  target: string
  body: string | Uint8Array
  /** Network time. */
  timestamp: number
}

/** The hub as nodes know it: the sender of work, and never a voter. */
export interface Coordinator {
  nodeId: string
  publicKey: string
  /** The headers of a node-signed request. */
  sign(request: CoordinatorRequest): Record<string, string>
}

/** The coordinator of this hub; null without `COORDINATOR_SEED`. */
export function createCoordinator({
  PROFILE: profile,
  COORDINATOR_SEED: seed,
}: Pick<Settings, 'PROFILE' | 'COORDINATOR_SEED'>): Coordinator | null {
  return seed === undefined ? null : coordinatorOf(profile, seed)
}

function coordinatorOf(profile: Profile, seed: string): Coordinator {
  const signer = nativeSigner(seed)
  const { publicKey } = signer
  return {
    nodeId: deriveNodeId(profile, publicKey),
    publicKey,
    sign: (request) => signRequestAs(profile, signer, { ...request, nonce: randomNonce() }).headers,
  }
}
