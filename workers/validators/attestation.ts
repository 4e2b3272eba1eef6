import { type Attestation, countAttestations, snapshotText } from '../../protocol/committees/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { verifyNatively } from '../native-ed25519.ts'

/** Whether a value is the attestation of a set by the node with this key. */
export const isAttestationOf = (
  profile: Profile,
  setHash: string,
  publicKey: string,
  value: unknown,
): value is Attestation =>
  countAttestations(profile, snapshotText(profile, setHash), [value], [publicKey], verifyNatively) === 1
