import type { Credential } from '../auth/principal.ts'

/** For so long after a request was admitted, the next one with its credential may begin before it is checked. */
const knownMs = 60_000
/** An isolate remembers no more credentials than this. */
const knownMax = 1_000

/** Credentials this isolate has admitted, with the time at which each is forgotten; the oldest first. */
const known = new Map<string, number>()

const nameOf = (credential: Credential): string =>
  credential.kind === 'session' ? credential.tokenHash : `${credential.keyId} ${credential.secretHash}`

/**
 * Whether this isolate has admitted the credential a short while ago, and refused it nothing since. Only then is it worth
 * asking the database for a caller who is not admitted yet: a guessed token or a caller over the limit costs no more than
 * the check.
 */
export const isKnown = (credential: Credential): boolean => (known.get(nameOf(credential)) ?? 0) > Date.now()

export function remember(credential: Credential): void {
  const name = nameOf(credential)
  known.delete(name)
  known.set(name, Date.now() + knownMs)
  if (known.size > knownMax) known.delete(known.keys().next().value ?? '')
}

export function forget(credential: Credential): void {
  known.delete(nameOf(credential))
}
