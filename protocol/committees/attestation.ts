import { hasExactKeys, isObject } from '../encoding/index.ts'
import { deriveNodeId, type Profile } from '../identity/index.ts'
import { type Ed25519Verifier, ed25519Signer, type SigningKey, verifyEd25519 } from '../signatures/index.ts'
import { quorum } from './quorum.ts'

/** A validator's signature under a snapshot or an epoch receipt. */
export interface Attestation {
  readonly node_id: string
  readonly public_key: string
  /** ed25519 over the text that the document's section names. */
  readonly signature: string
}

/** Signs a text as an attestation. Throws {@link FormatError} for a malformed seed. */
export function createAttestation(profile: Profile, key: SigningKey, text: string): Attestation {
  const { publicKey, sign } = ed25519Signer(key)
  return {
    node_id: deriveNodeId(profile, publicKey),
    public_key: publicKey,
    signature: sign(text),
  }
}

/**
 * Counts the current validators that signed a text. Attestations of others, repeated ones and wrong ones count for
 * nothing and spoil nothing, whatever their order.
 * @param attestations As received; anything that is not an attestation counts for nothing.
 */
export function countAttestations(
  profile: Profile,
  text: string,
  attestations: readonly unknown[],
  validators: readonly string[],
  verify: Ed25519Verifier = verifyEd25519,
): number {
  const signers = new Set<string>()
  for (const one of attestations)
    if (isAttestation(one) && validators.includes(one.public_key) && !signers.has(one.public_key))
      if (
        one.node_id === deriveNodeId(profile, one.public_key) &&
        verify(one.public_key, text, one.signature)
      )
        signers.add(one.public_key)
  return signers.size
}

/** Whether a quorum of the current validators signed a text. Without validators nothing is attested. */
export function isAttested(
  profile: Profile,
  text: string,
  attestations: readonly unknown[],
  validators: readonly string[],
  verify?: Ed25519Verifier,
): boolean {
  return (
    countAttestations(profile, text, attestations, validators, verify) >= quorum(new Set(validators).size)
  )
}

function isAttestation(value: unknown): value is Attestation {
  return isObject(value) && hasExactKeys(value, ['node_id', 'public_key', 'signature'])
}
