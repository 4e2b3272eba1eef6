import { addressSubject } from '../../protocol/encoding/index.ts'
import type { Claim } from '../auth/principal.ts'

/** For this long after a request was admitted, the next request with its credential may begin before it is checked. */
const knownMs = 60_000
/** An isolate remembers no more credentials than this. */
const knownMax = 1_000

/** Credentials this isolate has admitted, with the time at which each is forgotten; the oldest first. */
const known = new Map<string, number>()

/** Public keys are public: the name of one says nothing of who calls from another address than its node. */
function nameOf(claim: Claim, clientAddress: string | undefined): string {
  switch (claim.kind) {
    case 'session':
      return claim.tokenHash
    case 'api_key':
      return `${claim.keyId} ${claim.secretHash}`
    case 'node':
      return `${claim.signature.public_key} ${addressSubject(clientAddress)}`
  }
}

/**
 * Whether this isolate has admitted the credential a short while ago, and refused it nothing since: only then may the database be asked for a
 * caller before the check. A guessed token, or a caller over the limit, costs no more than the check.
 */
export const isKnown = (claim: Claim, clientAddress: string | undefined): boolean =>
  (known.get(nameOf(claim, clientAddress)) ?? 0) > Date.now()

export function remember(claim: Claim, clientAddress: string | undefined): void {
  const name = nameOf(claim, clientAddress)
  known.delete(name)
  known.set(name, Date.now() + knownMs)
  if (known.size > knownMax) known.delete(known.keys().next().value ?? '')
}

export function forget(claim: Claim, clientAddress: string | undefined): void {
  known.delete(nameOf(claim, clientAddress))
}
