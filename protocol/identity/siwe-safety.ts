import { checksumAddress } from '../encoding/index.ts'
import { type Profile, profileStrings } from './profile.ts'
import { parseSiweMessage, parseTimestamp, type SiweMessage, SiweMessageError } from './siwe-message.ts'

/** Longest message of an exchange, in characters. */
export const siweMessageLengthMax = 4096
const issuedAtSkewSeconds = 300
const validitySecondsMax = 86_400

/** The URI of a domain in an issued text: `https://domain`, or `http://domain` when the domain contains `:`. */
export const siweUri = (domain: string): string => `${domain.includes(':') ? 'http' : 'https'}://${domain}`

/** A strict message, or null. */
export function tryParseSiwe(text: string): SiweMessage | null {
  if (isTextLongerThan(text, siweMessageLengthMax)) return null
  try {
    return parseSiweMessage(text)
  } catch (error) {
    if (error instanceof SiweMessageError) return null
    throw error
  }
}

/** Whether a message was issued now, and is in force for a day at most. */
export function areSiweTimesAcceptable(message: SiweMessage, nowSeconds: number): boolean {
  const now = nowSeconds * 1000
  // The parser has read every timestamp, so null only stands for an absent line.
  const at = (text: string | null) => (text === null ? null : parseTimestamp(text))
  const issuedAt = at(message.issuedAt)!
  const expiration = at(message.expirationTime)
  const notBefore = at(message.notBefore)
  return (
    Math.abs(now - issuedAt) <= issuedAtSkewSeconds * 1000 &&
    (expiration === null || (expiration > now && expiration - issuedAt <= validitySecondsMax * 1000)) &&
    (notBefore === null || notBefore <= now)
  )
}

/** The values that a wallet expects in a sign-in text. */
export interface SiweExpectation {
  /** Host of the service the wallet itself talks to. */
  readonly host: string
  /** The wallet's address, lower case. */
  readonly address: string
  /** The nonce of the nonce endpoint's answer. */
  readonly nonce: string
  /** Unix seconds. */
  readonly now: number
}

/**
 * Whether a wallet may sign a text that a hub gave it: the first line names the host the wallet talks to; address, chain,
 * statement, version, URI origin and nonce are as expected; it was issued within 300 s, and expires in the future and
 * at most 24 h after issue. Protects the wallet from a hub that passes on another service's text.
 */
export function isSafeToSign(profile: Profile, message: string, expected: SiweExpectation): boolean {
  const parsed = tryParseSiwe(message)
  return (
    parsed !== null &&
    parsed.domain === expected.host &&
    parsed.address === checksumAddress(expected.address) &&
    parsed.chainId === profile.chain_id &&
    parsed.statement === profileStrings(profile).siwe_statement &&
    URL.canParse(parsed.uri) &&
    new URL(parsed.uri).origin === siweUri(expected.host) &&
    parsed.nonce === expected.nonce &&
    parsed.expirationTime !== null &&
    areSiweTimesAcceptable(parsed, expected.now)
  )
}

/**
 * By how much the two clocks differ where {@link isSafeToSign} refuses a text for that alone: at the time of its issue it would be safe.
 *
 * @returns Seconds by which the wallet's clock is behind the hub's, negative if it is ahead; null for every other text.
 */
export function signInClockOffset(
  profile: Profile,
  message: string,
  expected: SiweExpectation,
): number | null {
  const parsed = tryParseSiwe(message)
  if (parsed === null) return null
  const issuedAt = Math.floor(parseTimestamp(parsed.issuedAt)! / 1000)
  const offset = issuedAt - expected.now
  const isForThat = Math.abs(offset) > issuedAtSkewSeconds
  return isForThat && isSafeToSign(profile, message, { ...expected, now: issuedAt }) ? offset : null
}

/** Characters are code points; the count of UTF-16 units is never smaller. */
export function isTextLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters)
}
