import { nodeSigner } from '../../node-cli/src/node-signer.ts'
import type { Ed25519Signer } from '../../protocol/signatures/index.ts'

const signers = new Map<string, Ed25519Signer>()

/** Signs as the seed does: natively, and with a key that is read once. */
export function signerOf(seed: string): Ed25519Signer {
  const known = signers.get(seed) ?? nodeSigner(seed)
  signers.set(seed, known)
  return known
}

export const publicKeyOf = (seed: string): string => signerOf(seed).publicKey
